// The peaks of a GPU, kept like those of the processor (docs/adr/0031).
#pragma once

#include <cstdint>

#include "lab/machine/peaks.hpp"

namespace carat::gpu {

/// What figures of a GPU are judged by.
struct known_gpu {
    int device = 0;
    std::int64_t l2_bytes = 0;
    machine::peaks limits;
};

/// The kept measurement of this very GPU, driver and build, else a new one, which is kept.
/// @throws carat::error(unsupported) when the GPU is unavailable, out_of_memory when it is full.
[[nodiscard]] known_gpu know(int device, const machine::measure_options& options = {},
                             const machine::cache_options& kept = {});

/// Measures again, because a figure exceeded what is known, and keeps the better of both.
[[nodiscard]] machine::peaks refresh(const known_gpu& known,
                                     const machine::measure_options& options = {},
                                     const machine::cache_options& kept = {});

}  // namespace carat::gpu
