// What a product on a device costs a program that has its matrices in host memory, phase by phase
// ("phases" of a result, docs/results.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/format.hpp"

namespace carat::results {

// Every phase there is, in the order in which they pass; a product has those that it needs.
inline constexpr std::array<std::string_view, 6> phase_names = {"allocate", "copy_in",  "convert",
                                                                "compute",  "copy_out", "free"};

struct phase {
    std::string name;
    double median_s = 0;
    range ci95_s{};
};

struct phases {
    std::string host_memory;   // "pageable" or "pinned"
    std::string reason;        // why nothing could be measured; empty when it was
    std::vector<phase> parts;  // in the order of phase_names
    phase total{"total", 0, {}};
    std::vector<double> total_trials_s;
    std::int64_t repetitions = 0;  // of the whole sequence in one trial
    std::string stop;

    [[nodiscard]] bool measured() const { return !total_trials_s.empty(); }
    // The phase of that name, or null; "total" is one too.
    [[nodiscard]] const phase* find(std::string_view name) const;
};

}  // namespace carat::results
