// Step 1: one thread for each element of C, everything straight from global memory.
//
//     threads of a warp:   t0 . .     run down a column of C, so for row-major matrices each of
//                          t1 . .     the 32 threads reads another row of A and writes another row
//                          t2 . .     of C: 32 memory transactions where one could do (step 2).
//
// Every element of A is read N times and every element of B M times; only caches soften that.
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int edge = 32;  // of a block's tile of C: 1024 threads

template <class T>
__global__ void naive_kernel(product<T> p) {
    const origin first = tile_origin(p.c, edge, edge);
    const std::int64_t i = first.i + threadIdx.x % edge;
    const std::int64_t j = first.j + threadIdx.x / edge;
    if (!p.c.contains(i, j)) return;

    T sum{};
    for (std::int64_t k = 0; k < p.a.cols; ++k) sum += p.a(i, k) * p.b(k, j);
    store(p, i, j, sum);
}

}  // namespace

template <class T>
plan<T> naive_step::choose(int) {
    if constexpr (is_built<T>)
        return {naive_kernel<T>, edge, edge, edge * edge};
    else
        return {};
}
template plan<double> naive_step::choose(int);
template plan<float> naive_step::choose(int);
template plan<std::uint32_t> naive_step::choose(int);

}  // namespace carat::ladder::cuda
