// Keeping peaks, for processors and GPUs alike. load_or_measure() in its two halves, apart so
// that tests need not measure.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "lab/machine/peaks.hpp"

namespace carat::machine {

// What a measurement belongs to: everything it depends on but carat's version, which is added;
// whether it has a figure for all that would be measured now; and how levels follow from a curve,
// where there is one.
struct owner {
    nlohmann::json identity;
    std::function<bool(const peaks&)> covered_by;
    std::function<std::vector<bandwidth_peak>(const std::vector<reading_peak>&)> levels = {};
};

// With figures for `threads`, too.
[[nodiscard]] owner owner_of(const description& machine, const std::vector<int>& threads = {});

// What was kept for this very owner and version, if it is whole and recent enough.
[[nodiscard]] std::optional<peaks> load_kept(const owner& whose, const measure_options& options,
                                             const cache_options& kept);

// Replaces what was kept. A folder that can't be written is no error.
void keep(const owner& whose, const peaks& limits, const cache_options& kept);

// As for a machine in peaks.hpp.
using measuring = std::function<peaks()>;
[[nodiscard]] peaks load_or_measure(const owner& whose, const measuring& measure,
                                    const measure_options& options, const cache_options& kept);
[[nodiscard]] peaks refresh(const owner& whose, const measuring& measure, const peaks& known,
                            const cache_options& kept);

}  // namespace carat::machine
