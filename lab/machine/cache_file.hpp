// The two halves of load_or_measure(). Internal to the room; apart so that tests need not measure.
#pragma once

#include <optional>

#include "lab/machine/ceilings.hpp"

namespace carat::machine {

// What was kept for this very machine and version, if it is whole, recent enough and has a figure
// for everything there is to measure.
[[nodiscard]] std::optional<ceilings> load_kept(const description& machine,
                                                const measure_options& options,
                                                const cache_options& kept);

// Replaces what was kept. A folder that can't be written is no error.
void keep(const description& machine, const ceilings& limits, const cache_options& kept);

}  // namespace carat::machine
