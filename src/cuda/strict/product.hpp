// f64, and f32 in f32, on the GPU in use.
#pragma once

#include <memory>

#include "core/implementation.hpp"

namespace carat::cuda::strict {

/// How a tile is asked for; 0: chosen.
struct wishes {
    int tile_m = 0;
    int tile_n = 0;
    int parts = 0;
};

/// For products of f64, or f32 in f32, with something to multiply and sizes below 2^31.
/// @throws carat::error(out_of_memory).
[[nodiscard]] std::unique_ptr<core::runnable> prepare(const core::problem& p, const wishes& how);

}  // namespace carat::cuda::strict
