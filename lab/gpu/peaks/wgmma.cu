// The tensor cores of Hopper through wgmma: each warpgroup multiplies 64 x 256 out of shared
// memory, 128 sums in every thread. Two warpgroups to a multiprocessor, so that one's waits are
// filled by the other.
#include <algorithm>

#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "lab/gpu/peaks/kernels.hpp"

namespace carat::gpu {

namespace {

namespace ptx = carat::cuda::ptx;

constexpr int threads = 128;
constexpr int m = 64;
constexpr int n = 256;
constexpr int pieces = 4;  // of 32 bytes along K
constexpr int times = 4;   // the tiles in one group: 1 % more than once
constexpr int chunks = ptx::swizzled_row_bytes / 16;
constexpr int shared_bytes = (m + n) * ptx::swizzled_row_bytes + ptx::swizzle_atom_bytes;

__device__ void fill(uint4* tile, const uint4* rows, int count) {
    for (int e = static_cast<int>(threadIdx.x); e < count * chunks; e += threads)
        tile[ptx::swizzled_chunk(e / chunks, e % chunks)] = rows[e];
}

template <class Instruction>
__global__ void __launch_bounds__(threads, 2)
    wgmma_kernel(const uint4* a, const uint4* b, typename Instruction::sum* c, int steps) {
    if constexpr (ptx::has_wgmma) {
        extern __shared__ unsigned char shared[];
        constexpr std::uintptr_t atom = ptx::swizzle_atom_bytes;
        const auto start = (reinterpret_cast<std::uintptr_t>(shared) + atom - 1) / atom * atom;
        uint4* const a_tile = reinterpret_cast<uint4*>(start);
        uint4* const b_tile = a_tile + m * chunks;
        fill(a_tile, a, m);
        fill(b_tile, b, n);
        ptx::fence_proxy_async_shared();
        __syncthreads();

        const std::uint64_t a_at = ptx::k_major_descriptor(a_tile);
        const std::uint64_t b_at = ptx::k_major_descriptor(b_tile);
        typename Instruction::sum sums[128] = {};
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
            ptx::wgmma_fence();
#pragma unroll
            for (int i = 0; i < times * pieces; ++i)
                Instruction::multiply(sums, ptx::advance_descriptor(a_at, 32 * (i % pieces)),
                                      ptx::advance_descriptor(b_at, 32 * (i % pieces)));
            ptx::wgmma_commit();
            ptx::wgmma_wait<1>();
        }
        ptx::wgmma_wait<0>();
        ptx::fence_accumulators(sums);

        if (blockIdx.x != 0) return;
#pragma unroll
        for (int i = 0; i < 128; ++i) {
            const ptx::place at = ptx::wgmma_place(static_cast<int>(threadIdx.x), i);
            c[at.row * n + at.column] = sums[i];
        }
    }
}

template <class Instruction>
void start(const launch& how) {
    using sum = typename Instruction::sum;
    cudaFuncSetAttribute(wgmma_kernel<Instruction>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         shared_bytes);
    wgmma_kernel<Instruction><<<how.blocks, threads, shared_bytes, how.stream>>>(
        static_cast<const uint4*>(how.a), static_cast<const uint4*>(how.b),
        static_cast<sum*>(how.c), how.steps);
}

template <class Element>
unit_kernel unit(const char* name, dtype type, dtype sum) {
    using instruction = ptx::wgmma<Element, 256>;
    static_assert(instruction::k * sizeof(Element) == 32);
    return {.unit = name,
            .operand = type,
            .sum = sum,
            .least_capability = 90,
            .most_capability = 90,
            .form = arithmetic::product,
            .m = m,
            .n = n,
            .k = pieces * instruction::k,
            .times = times,
            .blocks_each = 2,
            .start = start<instruction>};
}

}  // namespace

std::vector<unit_kernel> wgmma_kernels() {
    return {unit<__half>("tensor f16", dtype::f16, dtype::f32),
            unit<__nv_bfloat16>("tensor bf16", dtype::bf16, dtype::f32),
            unit<ptx::tf32>("tensor tf32", dtype::f32, dtype::f32),
            unit<__nv_fp8_e4m3>("tensor e4m3", dtype::e4m3, dtype::f32),
            unit<__nv_fp8_e5m2>("tensor e5m2", dtype::e5m2, dtype::f32),
            unit<std::int8_t>("tensor i8", dtype::i8, dtype::i32)};
}

}  // namespace carat::gpu
