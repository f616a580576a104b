// The cases of a results file: what can fairly stand in one table. A case is one shape, type and
// thread count; each has its results fastest first, and apart from them those without a figure.
// The terminal, the page and the tables of a paper all show this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/results/document.hpp"

namespace carat::report {

struct refused_result {
    const results::result* of;
    std::string why;
};

// It points into the results that it was made of.
struct measured_case {
    std::string dtype;
    std::int64_t m = 0, n = 0, k = 0;
    int threads = 0;
    std::string call;                            // "batch 64": beyond C = A B; mostly empty
    std::vector<const results::result*> ranked;  // fastest first
    std::vector<refused_result> refused;
    const results::comparison* comparison = nullptr;  // where there is one
    bool on_gpu = false;  // all that has a figure: then threads of the CPU mean nothing
    // What others did to some of its figures, or to all; mostly empty. On those no verdict rests.
    std::string busy;

    // "512 x 512 x 512 (batch 64)"
    [[nodiscard]] std::string size() const;

    // "f64 2000 x 2000 x 2000, 2 threads"
    [[nodiscard]] std::string label() const;
};

// Whether other work disturbed it.
[[nodiscard]] bool is_disturbed(const results::result& result);

// The result with the highest roofline of a case on a CPU, or on a GPU; null: not measured. A
// result on fewer threads than its case allows has a lower one of its own.
[[nodiscard]] const results::result* highest_roofline(const measured_case& here, bool of_cpu);

// GFLOP/s, on the device of a result of the case; 0: not measured.
[[nodiscard]] double roofline_of(const measured_case& here, const results::result& of);
[[nodiscard]] double percent_of_roofline(const measured_case& here, const results::result& of);

// A row of a case's table, whatever it is shown in: the terminal, the page, Markdown or LaTeX.
struct ranked_row {
    const results::result* of;
    int rank;        // 0: others disturbed it, or it might change places with such a row
    double percent;  // of the roofline; 0: not measured
    bool is_base;    // what the others are compared with
    double times;    // how many times as long as the base takes
    std::optional<results::pair> pair;  // of it against the base, if the comparison has that
    std::string verdict;                // of that pair, or "busy"; may be empty
    std::string group;                  // may be empty
};

// Fastest first, compared with the implementation `base`; with the fastest if none has that name.
[[nodiscard]] std::vector<ranked_row> rows_of(const measured_case& here,
                                              const std::string& base = {});

// How many times as fast: by the comparison of the pair, or else by their medians.
[[nodiscard]] double times_as_fast(const measured_case& here, const results::result& first,
                                   const results::result& second);

// The processor, or the GPU where all that has a figure ran there.
[[nodiscard]] std::string device_name(const results::document& doc, const measured_case& here);

// Which results a view shows: "cpu", "gpu" (every device that is not a CPU), or "all".
[[nodiscard]] bool shows(const std::string& view, const results::result& result);

// The threads a result was seen to use; what its case allows where it did not run.
[[nodiscard]] int threads_used(const results::result& result);

// The one case that was just measured.
[[nodiscard]] measured_case case_of(std::span<const results::result> results,
                                    const results::comparison& compared);

// Cases in the order of the file. A result joins every case of its shape and type that has its own
// thread count; a device without threads of the CPU's kind joins them all; so does an
// implementation that the file's own comparison of that case names (a serial one beside threads).
[[nodiscard]] std::vector<measured_case> group(const results::document& doc,
                                               const std::string& view = "all");

// One pair of a case's comparison, as "first against second" whichever way it is stored.
[[nodiscard]] std::optional<results::pair> compare(const measured_case& where,
                                                   const std::string& first,
                                                   const std::string& second);

}  // namespace carat::report
