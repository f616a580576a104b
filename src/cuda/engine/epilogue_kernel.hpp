// An epilogue as one further kernel over C, for what no product does on its way there: sums of f64
// and f32, steps in any order, gates, the largest number, and a C of another type than the sums.
//
//     C = steps(sums) + beta E
#pragma once

#include <span>

#include <carat/epilogue.hpp>

#include "core/problem.hpp"
#include "cuda/common/copy.hpp"

namespace carat::gpu_engine {

struct epilogue_kernel {
    std::int64_t m;  // of C
    std::int64_t n;
    dtype sums_type;    // f64 or f32
    cuda::placed sums;  // m x n, or m x 2n for a gate; may be C itself
    dtype c_type;
    void* c;
    core::layout c_layout;
    cuda::placed e;  // of C's type; may be C
    double beta;     // 0: E is not read
    std::span<const detail::epilogue_step> steps;
    const int* rows = nullptr;  // in GPU memory: of C only so many; null: all
};

/// Whether sums of one type can become a C of the other.
[[nodiscard]] bool converts(dtype sums_type, dtype c_type);

/// Loads the kernel that does it. @throws as cuda::load().
void load(const epilogue_kernel& it);

/// Starts it. Where a step asks for the largest number, its memory must hold 0, or what it is to be
/// compared with.
void start(const epilogue_kernel& it, cudaStream_t stream);

}  // namespace carat::gpu_engine
