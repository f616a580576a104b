// Where and how a product runs: the optional first argument of a call.
#pragma once

#include <concepts>
#include <type_traits>

#include <carat/accuracy.hpp>
#include <carat/export.hpp>

struct CUstream_st;  // what a cudaStream_t points to

namespace carat {

inline namespace CARAT_ABI {

// Runs on the CPU with at most `threads` threads; 0 means OMP_NUM_THREADS or the machine's number,
// and one inside an OpenMP parallel region. `f16` is only for operands of f16; what the processor
// lacks is refused.
struct cpu {
    int threads = 0;
    f16_as f16 = f16_as::f32_sums;
};

// Runs on an NVIDIA GPU: matrices and epilogue values are in its memory, the work is started on
// `stream`, and the call returns at once. See docs/gpu.md.
struct cuda {
    CUstream_st* stream = nullptr;  // a cudaStream_t of that device; null: the default stream
    int device = -1;                // -1: the calling thread's current one
    // The bits of a row of C do not depend on the number of rows; docs/gpu.md states its cost.
    bool batch_invariant = false;
    f32_as f32 = f32_as::f32;
};

}  // namespace CARAT_ABI

namespace detail {

template <class T>
concept place =
    std::same_as<std::remove_cvref_t<T>, cpu> || std::same_as<std::remove_cvref_t<T>, cuda>;

}  // namespace detail

}  // namespace carat
