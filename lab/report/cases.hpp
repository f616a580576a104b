// The cases of a results file: what can fairly stand in one table. A case is one shape, type and
// thread count; each names its results fastest first, and apart from them those without a figure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// "results" throughout this module, from here on, is what checked() returns.
namespace carat::report {

struct refused_result {
    std::size_t result;  // index in "results"
    std::string why;
};

struct measured_case {
    std::string dtype;
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t threads = 0;
    std::string call;                 // "batch 64": beyond C = A B; mostly empty
    std::vector<std::size_t> ranked;  // indices in "results", fastest first
    std::vector<refused_result> refused;
    const nlohmann::json* comparison = nullptr;  // into the results, where there is one
    bool on_gpu = false;  // all that has a figure: then threads of the CPU mean nothing
    // What others did to some of its figures, or to all; mostly empty. On those no verdict rests.
    std::string busy;

    // "512 x 512 x 512 (batch 64)"
    [[nodiscard]] std::string size() const;

    // "f64 2000 x 2000 x 2000, 2 threads"
    [[nodiscard]] std::string label() const;
};

// Whether other work disturbed it.
[[nodiscard]] bool is_disturbed(const nlohmann::json& result);

// The highest roofline of a case's results on the device of one of them, GFLOP/s; 0: not measured.
// A result on fewer threads than its case allows has a lower one of its own.
[[nodiscard]] double roofline_of(const nlohmann::json& doc, const measured_case& here,
                                 const nlohmann::json& of);
[[nodiscard]] double percent_of_roofline(const nlohmann::json& doc, const measured_case& here,
                                         const nlohmann::json& of);

// How many times as fast: by the comparison of the pair, or else by their medians.
[[nodiscard]] double times_as_fast(const measured_case& here, const nlohmann::json& first,
                                   const nlohmann::json& second);

// The processor, or the GPU where all that has a figure ran there.
[[nodiscard]] std::string device_name(const nlohmann::json& doc, const measured_case& here);

// Which results a view shows: "cpu", "gpu" (every device that is not a CPU), or "all".
[[nodiscard]] bool shows(const std::string& view, const nlohmann::json& result);

// The threads a result was seen to use; what its case allows where the file doesn't tell.
[[nodiscard]] std::int64_t threads_used(const nlohmann::json& result);

// Cases in the order of the file. A result joins every case of its shape and type that has its own
// thread count; a device without threads of the CPU's kind joins them all; so does an
// implementation that the file's own comparison of that case names (a serial one beside threads).
[[nodiscard]] std::vector<measured_case> group(const nlohmann::json& doc,
                                               const std::string& view = "all");

// One pair of a case's comparison, read as "first against second" whichever way it is stored.
struct pair_reading {
    std::string verdict;          // faster, slower, tie, unclear
    std::optional<double> ratio;  // throughput of first / second
    std::optional<std::pair<double, double>> ci_ratio;
    bool one_process = false;  // the interval, and so the verdict, is of one process alone
    double more_s = 0;         // of measuring, that would settle an unclear one; 0: unknown
};
[[nodiscard]] std::optional<pair_reading> compare(const measured_case& where,
                                                  const std::string& first,
                                                  const std::string& second);

}  // namespace carat::report
