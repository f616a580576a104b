// The roofline of one product on a GPU. The precision in which it really computes decides which
// unit bounds it: f32 data may be multiplied by ffma, as tf32 or after rounding to f16, and each
// has its own limit. Pure functions of measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/gpu_prediction.hpp"
#include "lab/gpu/limits.hpp"
#include "lab/machine/roofline.hpp"

namespace carat::gpu {

/// The best measured peak for operands of `type` multiplied in the precision `computes_in` (as in
/// core::signature). Products of f16, bf16 and i8 into f32 or i32 use tensor cores, which are exact
/// there, or ffma and imad. None if the unit was not measured.
[[nodiscard]] std::optional<double> peak_gflops(const machine::peaks& limits, dtype type,
                                                std::string_view computes_in);

/// The bound is "compute", "L2" or "HBM". If `rotating_bytes` of all sets of operands take turns,
/// what L2 holds of them may come from there, at its rate at most, and the rest from HBM. None for
/// an empty product, or if the unit or the level was not measured.
[[nodiscard]] std::optional<machine::roof> roofline(const known_gpu& gpu,
                                                    const rows::operation& all,
                                                    std::string_view computes_in,
                                                    std::int64_t rotating_bytes);

/// The rates of this GPU for a plan's own model; 0 if not measured.
[[nodiscard]] core::roofline_rates rates_of(const machine::peaks& limits, dtype type,
                                            std::string_view computes_in);

/// The limit that a figure exceeds by more than 2 %: "compute", which is what the unit does on any
/// data and may be more than its peak on random data, or a memory. The work or the time is then
/// wrong. Empty if it exceeds none, or none was measured.
[[nodiscard]] std::string exceeded_limit(const known_gpu& gpu, const rows::operation& all,
                                         std::string_view computes_in, std::int64_t rotating_bytes,
                                         double gflops);

}  // namespace carat::gpu
