// Step 2: the same work, but the threads of a warp run along a row of C.
//
//     t0 t1 t2 . . t31     All of a warp read the same element of A (one transaction, broadcast)
//     and .  .  .  . . .       32 neighbours of B (one transaction of 128 bytes for f32), and write
//     32 .  .  .  . . .       neighbours of C. Nothing but two index expressions changed from
//     step 1.
//
// Each term still costs two loads for one multiplication.
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int edge = 32;

template <class T>
__global__ void coalesced_kernel(product<T> p) {
    const origin first = tile_origin(p.c, edge, edge);
    const std::int64_t i = first.i + threadIdx.x / edge;
    const std::int64_t j = first.j + threadIdx.x % edge;
    if (!p.c.contains(i, j)) return;

    T sum{};
    for (std::int64_t k = 0; k < p.a.cols; ++k) sum += p.a(i, k) * p.b(k, j);
    store(p, i, j, sum);
}

}  // namespace

template <class T>
plan<T> coalesced_step::choose(int) {
    if constexpr (is_built<T>)
        return {coalesced_kernel<T>, edge, edge, edge * edge};
    else
        return {};
}
template plan<double> coalesced_step::choose(int);
template plan<float> coalesced_step::choose(int);
template plan<std::uint32_t> coalesced_step::choose(int);

}  // namespace carat::ladder::cuda
