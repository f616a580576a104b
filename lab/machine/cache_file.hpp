// Keeping ceilings, for processors and GPUs alike. load_or_measure() in its two halves, apart so
// that tests need not measure.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "lab/machine/ceilings.hpp"

namespace carat::machine {

// What a measurement belongs to: everything it depends on but carat's version, which is added; and
// whether it has a figure for all that would be measured now.
struct owner {
    nlohmann::json identity;
    std::function<bool(const ceilings&)> covered_by;
};

[[nodiscard]] owner owner_of(const description& machine);

// What was kept for this very owner and version, if it is whole and recent enough.
[[nodiscard]] std::optional<ceilings> load_kept(const owner& whose, const measure_options& options,
                                                const cache_options& kept);

// Replaces what was kept. A folder that can't be written is no error.
void keep(const owner& whose, const ceilings& limits, const cache_options& kept);

// As for a machine in ceilings.hpp.
using measuring = std::function<ceilings()>;
[[nodiscard]] ceilings load_or_measure(const owner& whose, const measuring& measure,
                                       const measure_options& options, const cache_options& kept);
[[nodiscard]] ceilings refresh(const owner& whose, const measuring& measure, const ceilings& known,
                               const cache_options& kept);

}  // namespace carat::machine
