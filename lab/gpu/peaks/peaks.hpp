// The limits of a GPU as measured on it, in the form a processor's have (lab/machine/peaks.hpp);
// a whole GPU counts as one thread.
//
//     units   ffma f32, dfma f64, imad i32; tensor cores: dmma f64, tensor f16, bf16, tf32, e4m3,
//     e5m2 and i8
//             (tf32 with dtype f32, what its operands are in memory); on 9.0 and 10.x also
//             mma.sync f16 and so on, the rate of the same tensor cores by older GPUs' instruction
//     levels  L2, HBM (the GPU's own memory, whichever kind it is) and HBM copy (bytes read and
//             written); PCIe to GPU and PCIe from GPU with pinned memory, whatever the link is
//
// What a device lacks, or this build has no code for, has no figure.
#pragma once

#include "lab/machine/peaks.hpp"

namespace carat::gpu {

/// Takes 2 s, or 8 s if thorough, and some hundred MB of the GPU's memory at least. Checks every
/// unit's result first, and omits units that compute wrongly.
/// @throws carat::error(unsupported) if the GPU is unavailable, out_of_memory if it is full.
[[nodiscard]] machine::peaks measure_peaks(int device,
                                           const machine::measure_options& options = {});

/// Whether `limits` has a figure for everything that would be measured on `device` now.
[[nodiscard]] bool complete(const machine::peaks& limits, int device);

/// Releases what this process holds of `device`: its context and everything created in it.
void end_context(int device);

}  // namespace carat::gpu
