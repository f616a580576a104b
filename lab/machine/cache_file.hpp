// Caches peaks of processors and GPUs. The two halves of load_or_measure() are separate, so that
// tests need not measure.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "lab/machine/peaks.hpp"

namespace carat::machine {

// The key of a measurement: everything it depends on except carat's version, which is added;
// whether it has all figures that would be measured now; and how levels follow from a curve, if
// there is one.
struct owner {
    nlohmann::json identity;
    std::function<bool(const peaks&)> covered_by;
    std::function<std::vector<bandwidth_peak>(const std::vector<reading_peak>&)> levels = {};
};

// The key that also requires figures for `threads`.
[[nodiscard]] owner owner_of(const description& machine, const std::vector<int>& threads = {});

// The cached measurement of this owner and version, if it is whole and recent enough.
[[nodiscard]] std::optional<peaks> load_kept(const owner& whose, const measure_options& options,
                                             const cache_options& kept);

// Replaces the cached measurement. A folder that cannot be written is no error.
void keep(const owner& whose, const peaks& limits, const cache_options& kept);

// The same as for a machine in peaks.hpp.
using measuring = std::function<peaks()>;
[[nodiscard]] peaks load_or_measure(const owner& whose, const measuring& measure,
                                    const measure_options& options, const cache_options& kept);
[[nodiscard]] peaks refresh(const owner& whose, const measuring& measure, const peaks& known,
                            const cache_options& kept);

}  // namespace carat::machine
