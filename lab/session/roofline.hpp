// Whether a figure can be believed, and how much of the machine it is: the roofline of whichever
// device a result ran on. Pure functions of what was measured.
#pragma once

#include "core/operation.hpp"
#include "lab/gpu/limits.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/results/document.hpp"

namespace carat::session {

struct known_limits {
    const machine::description& machine;
    const machine::peaks& cpu;
    const gpu::known_gpu* gpu = nullptr;  // of the GPU in use; null: not measured
};

// Fills in roofline_gflops and bound, where the unit and the memory were measured.
// `rotating_bytes` are those of all sets of operands that its runs took in turn.
void fill_roofline(results::result& c, const known_limits& limits, const core::operation& all,
                   std::int64_t rotating_bytes);

// Whether the fastest trial, even it alone, is beyond the peak of the unit it claims. False without
// trials and where no peak was measured.
[[nodiscard]] bool above_peak(const results::result& c, const known_limits& limits, dtype type);

}  // namespace carat::session
