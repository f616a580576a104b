// The rows of steps 11 to 20: bf16 matrices summed in f32, row by row in memory, one tile of C for
// a CTA at a time. A step is a kernel and a `bf16_plan`; what else it takes to be a row is here.
#pragma once

#include <cuda.h>
#include <memory>
#include <string>

#include "cuda/common/device.hpp"
#include "cuda/ptx/flag.cuh"
#include "lab/rows/implementation.hpp"
#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

using element = __nv_bfloat16;
using bf16_product = product<element, element, float>;

// The tile of C of a CTA, and how much of K is in shared memory at a time.
inline constexpr int block_m = 128;
inline constexpr int block_n = 256;
inline constexpr int block_k = 64;
inline constexpr int panel = 64;  // elements in a row of 128 bytes of shared memory

// The tiles of A and B for one step of K, 48 KB of shared memory. A TMA swizzle needs the 1024.
struct alignas(1024) tile_pair {
    element a[block_m * block_k];  // 128 rows of 128 bytes
    element b[block_n * block_k];  // four panels of 64 columns: 64 rows, k, of 128 bytes each
};

// What every kernel of these steps is given. Steps 11 to 13 use the product alone.
struct bf16_arguments {
    CUtensorMap a, b, c;  // the same matrices, described for TMA
    bf16_product product;
    int band = 0;                    // step 18 and later: rows of tiles that are worked on together
    float4* partial_sums = nullptr;  // step 20
    carat::cuda::ptx::flag* is_passed = nullptr;
};
using bf16_kernel = void (*)(bf16_arguments);

struct bf16_plan {
    bf16_kernel kernel;
    int threads;
    int shared_bytes;
    bool uses_tma = false;
    int cluster = 1;             // CTAs of a cluster, their tiles below each other
    bool is_persistent = false;  // as many clusters as the GPU holds, else one for each tile
    bool passes_sums = false;    // between clusters, through global memory
    int band = 0;
};

// What a step's instructions need of a GPU: 8.0 or later; or 9.0 and code built for 90a, the only
// one that has them all.
enum class gpu_needs : std::uint8_t { ampere, hopper };

// Why such a kernel cannot compute `p`; empty when it can.
[[nodiscard]] std::string unsupported_bf16(const core::problem& p, gpu_needs needs);

// Why a step that stores C by TMA cannot: rows that end between 16 bytes would be stored beyond
// their ends.
[[nodiscard]] std::string unsupported_tma_store(const core::problem& p);

[[nodiscard]] std::unique_ptr<rows::runnable> prepare_bf16(const char* name, const core::problem& p,
                                                           const bf16_plan& plan);

inline constexpr core::signature bf16_types[] = {{dtype::bf16, dtype::bf16, dtype::bf16, "f32"}};

// The row of a step: a struct with its `name`, what it `needs`, perhaps `stores_by_tma`, and
//
//     static bf16_plan choose(const core::settings&)
template <class Step>
[[nodiscard]] constexpr rows::implementation bf16_row(
    std::string_view summary, std::span<const core::tunable> tunables = {}) {
    return {.name = Step::name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = bf16_types,
            .tunables = tunables,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported =
                [](const core::problem& p, const core::settings& s) {
                    std::string why = unsupported_bf16(p, Step::needs);
                    if constexpr (requires { Step::stores_by_tma; })
                        if (Step::stores_by_tma && why.empty()) why = unsupported_tma_store(p);
                    if constexpr (requires { Step::unsupported(s); })
                        if (why.empty()) why = Step::unsupported(s);
                    return why;
                },
            .prepare =
                [](const core::problem& p, const core::settings& s) {
                    return prepare_bf16(Step::name, p, Step::choose(s));
                }};
}

}  // namespace carat::ladder::cuda
