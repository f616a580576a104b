// Step 2: the same work, but the threads of a warp run along a row of C.
//
//     t0 t1 t2 . . t31     All of a warp read the same element of A (one transaction, broadcast)
//     and .  .  .  . . .       32 neighbours of B (one transaction of 128 bytes for f32), and write
//     32 .  .  .  . . .       neighbours of C. Nothing but two index expressions changed from
//     step 1.
//
// Each term still costs two loads for one multiplication.
#include "ladder/cuda/step.cuh"
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

struct coalesced_step {
    static constexpr const char* name = "cuda.ladder.coalesced";

    template <class T, class, class>
    static plan<T, T, T> choose(const core::settings&) {
        return {coalesced_kernel<T>, edge, edge, edge * edge};
    }
};

}  // namespace

constinit const rows::implementation coalesced =
    plain_row<coalesced_step>("one thread an element, warps run along the rows");

}  // namespace carat::ladder::cuda
