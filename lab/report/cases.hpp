// The cases of a results file: what can fairly stand in one table. A case is one shape, type and
// thread count; each names its cells fastest first, and apart from them those without a figure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// "results" throughout this module, from here on, is what checked() returns.
namespace carat::report {

struct refused_cell {
    std::size_t cell;  // index in "cells"
    std::string why;
};

struct measured_case {
    std::string dtype;
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t threads = 0;
    std::vector<std::size_t> ranked;  // indices in "cells", fastest first
    std::vector<refused_cell> refused;
    const nlohmann::json* comparison = nullptr;  // into the results, where there is one

    // "f64 2000 x 2000 x 2000, 2 threads"
    [[nodiscard]] std::string label() const;
};

// Which cells a view shows: "cpu", "gpu" (every device that is not a CPU), or "all".
[[nodiscard]] bool shows(const std::string& view, const nlohmann::json& cell);

// The threads a cell was seen to use; what its case allows where the file doesn't tell.
[[nodiscard]] std::int64_t threads_used(const nlohmann::json& cell);

// Cases in the order of the file. A cell joins every case of its shape and type that has its own
// thread count; a device without threads of the CPU's kind joins them all; so does an
// implementation that the file's own comparison of that case names (a serial one beside threads).
[[nodiscard]] std::vector<measured_case> group(const nlohmann::json& results,
                                               const std::string& view = "all");

// One pair of a case's comparison, read as "first against second" whichever way it is stored.
struct pair_reading {
    std::string verdict;          // faster, slower, tie, unclear
    std::optional<double> ratio;  // throughput of first / second
    std::optional<std::pair<double, double>> ci_ratio;
};
[[nodiscard]] std::optional<pair_reading> compare(const measured_case& where,
                                                  const std::string& first,
                                                  const std::string& second);

}  // namespace carat::report
