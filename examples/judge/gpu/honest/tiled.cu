// Tiles in shared memory, two types, any alpha and beta: the matrices lie in the GPU's memory.
#include <cstdint>

#include <carat/carat_kernel.h>

namespace {

constexpr int tile = 32;

template <class T>
__global__ void multiply(carat_gemm g) {
    __shared__ T a[tile][tile], b[tile][tile];
    const std::int64_t i = std::int64_t{blockIdx.y} * tile + threadIdx.y;
    const std::int64_t j = std::int64_t{blockIdx.x} * tile + threadIdx.x;
    T sum = 0;
    for (std::int64_t p = 0; p < g.k; p += tile) {
        const std::int64_t row = p + threadIdx.y, col = p + threadIdx.x;
        a[threadIdx.y][threadIdx.x] =
            i < g.m && col < g.k ? static_cast<const T*>(g.a)[i * g.lda + col] : T{0};
        b[threadIdx.y][threadIdx.x] =
            j < g.n && row < g.k ? static_cast<const T*>(g.b)[row * g.ldb + j] : T{0};
        __syncthreads();
        for (int q = 0; q < tile; ++q) sum += a[threadIdx.y][q] * b[q][threadIdx.x];
        __syncthreads();
    }
    if (i >= g.m || j >= g.n) return;
    T& c = static_cast<T*>(g.c)[i * g.ldc + j];
    const T old = g.beta == 0 ? T{0} : static_cast<T>(g.beta) * c;
    c = static_cast<T>(g.alpha) * sum + old;
}

int run(const carat_gemm* g) {
    const dim3 threads(tile, tile);
    const dim3 blocks(static_cast<unsigned>((g->n + tile - 1) / tile),
                      static_cast<unsigned>((g->m + tile - 1) / tile));
    const auto stream = static_cast<cudaStream_t>(g->stream);
    if (g->type == CARAT_F64)
        multiply<double><<<blocks, threads, 0, stream>>>(*g);
    else
        multiply<float><<<blocks, threads, 0, stream>>>(*g);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}

}  // namespace

CARAT_KERNEL_EXPORT const carat_kernel carat_kernel_v1 = {CARAT_KERNEL_VERSION,
                                                          "tiled",
                                                          CARAT_F64 | CARAT_F32,
                                                          CARAT_ALPHA_BETA | CARAT_ON_GPU,
                                                          nullptr,
                                                          run};
