// Whether a figure can be believed, and how much of the machine it is: the roofline of whichever
// device a result ran on. Pure functions of what was measured.
#pragma once

#include <cstdint>
#include <string>

#include "lab/gpu/limits.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/results/document.hpp"
#include "lab/rows/operation.hpp"

namespace carat::session {

struct known_limits {
    const machine::description& machine;
    const machine::peaks& cpu;
    const gpu::known_gpu* gpu = nullptr;  // of the GPU in use; null: not measured
};

// Fills in roofline_gflops and bound, where the unit and the memory were measured.
// `rotating_bytes` are those of all sets of operands that its runs took in turn.
void fill_roofline(results::result& c, const known_limits& limits, const rows::operation& all,
                   std::int64_t rotating_bytes);

// Which limit its fastest trials are beyond, all but one in twenty, since a virtual machine's clock
// may jump: "compute", the peak of the unit it claims with as many threads as it uses, or a memory.
// Empty without trials and where none was measured.
[[nodiscard]] std::string exceeded_limit(const results::result& c, const known_limits& limits,
                                         const rows::operation& all, std::int64_t rotating_bytes);

}  // namespace carat::session
