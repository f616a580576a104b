// The peaks of a GPU, kept like those of the processor (docs/adr/0031).
#pragma once

#include <cstdint>

#include "lab/machine/peaks.hpp"

namespace carat::gpu {

/// The limits by which figures of a GPU are judged.
struct known_gpu {
    int device = 0;
    std::int64_t l2_bytes = 0;
    machine::peaks limits;
};

/// The cached measurement of this GPU, driver and build, or a new one, which is cached.
/// @throws carat::error(unsupported) if the GPU is unavailable, out_of_memory if it is full.
[[nodiscard]] known_gpu know(int device, const machine::measure_options& options = {},
                             const machine::cache_options& kept = {});

/// Measures again, because a figure exceeded a known limit, and keeps the better of both.
[[nodiscard]] machine::peaks refresh(const known_gpu& known,
                                     const machine::measure_options& options = {},
                                     const machine::cache_options& kept = {});

}  // namespace carat::gpu
