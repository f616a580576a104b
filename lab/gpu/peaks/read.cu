// Reads memory as fast as it comes: 16 bytes a thread, eight of them under way before the first is
// looked at. ld.global.cg keeps out of L1, which would answer for L2 otherwise.
#include "lab/gpu/peaks/kernels.hpp"

namespace carat::gpu {

namespace {

constexpr int threads = 512;
constexpr int under_way = 8;

__device__ std::uint32_t combined(const uint4& v) {
    return v.x ^ v.y ^ v.z ^ v.w;
}

__global__ void __launch_bounds__(threads)
    read_kernel(const uint4* data, std::int64_t words, int passes, std::uint32_t* result) {
    const std::int64_t first = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    const std::int64_t stride = std::int64_t{gridDim.x} * threads;
    std::uint32_t sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        std::int64_t at = first;
        for (; at + (under_way - 1) * stride < words; at += under_way * stride) {
            uint4 v[under_way];
#pragma unroll
            for (int i = 0; i < under_way; ++i) v[i] = __ldcg(data + at + i * stride);
#pragma unroll
            for (int i = 0; i < under_way; ++i) sum ^= combined(v[i]);
        }
        for (; at < words; at += stride) sum ^= combined(__ldcg(data + at));
    }
    for (int apart = 16; apart > 0; apart /= 2) sum ^= __shfl_xor_sync(~0u, sum, apart);
    if (threadIdx.x % 32 == 0) atomicXor(result, sum);
}

}  // namespace

void start_reading(const void* data, std::int64_t words, int passes, std::uint32_t* combined,
                   unsigned blocks, cudaStream_t stream) {
    read_kernel<<<blocks, threads, 0, stream>>>(static_cast<const uint4*>(data), words, passes,
                                                combined);
}

}  // namespace carat::gpu
