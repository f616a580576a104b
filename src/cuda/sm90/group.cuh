// Which product a block of narrow tiles works on: the one that the arguments describe, or one of a
// group, which it finds in a table in the memory of the GPU.
#pragma once

#include "cuda/ptx/tensor_map.cuh"
#include "cuda/sm90/arguments.hpp"

namespace carat::cuda::sm90 {

// The last of `count` ascending numbers, the first of them 0, that is not above `index`. By a whole
// warp, which looks at 32 of them at a time.
__device__ __forceinline__ int last_not_above(const int* numbers, int count, int index) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int low = 0;
#pragma unroll 1
    while (true) {
        const int apart = (count + 31) / 32;
        const int at = lane * apart;
        const bool is = at < count && numbers[low + at] <= index;
        const int passed = (__popc(__ballot_sync(0xffffffffu, is)) - 1) * apart;
        low += passed;
        count = min(apart, count - passed);
        if (apart == 1) return low;
    }
}

// What a block multiplies.
struct work {
    const CUtensorMap* a;
    const CUtensorMap* b;
    int k_tiles;
    int tiles_m;
    int tiles_n;
    int cluster;                         // its number among those of the product
    const member* own;                   // null: the product of the arguments
    const CUtensorMap* kinds = nullptr;  // of rows of A that begin alike
};

template <class Factor>
__device__ __forceinline__ work work_of_one(const maps& m, const arguments<Factor>& p,
                                            int cluster) {
    return {&m.a, &m.b, p.k_tiles, p.tiles_m, p.tiles_n, cluster, nullptr};
}
template <class Factor>
__device__ __forceinline__ work work_of_member(const arguments<Factor>& p, int cluster) {
    const int number = last_not_above(p.all.first, p.all.count, cluster);
    const member* const own = p.all.members + number;
    return {&own->a,      &own->b,      own->k_tiles,
            own->tiles_m, own->tiles_n, cluster - p.all.first[number],
            own};
}

// By the thread that copies.
__device__ __forceinline__ void acquire_maps(const work& of) {
    if (of.own == nullptr) return;
    ptx::acquire_map(*of.a);
    ptx::acquire_map(*of.b);
}

// Where the sums of a block go.
struct destination {
    void* c;
    const void* added;
    std::int64_t row_stride;
    std::int64_t col_stride;
    int m;
    int n;
    std::int64_t first;  // element of the product's C
};

template <class Factor>
__device__ __forceinline__ destination destination_of(const arguments<Factor>& p,
                                                      const member* own) {
    if (own != nullptr)
        return {own->c, own->added, own->row_stride, own->col_stride, own->m, own->n, 0};
    return {p.c.data,
            p.last.residual != nullptr ? p.last.residual : p.c.data,
            p.c.row_stride,
            p.c.col_stride,
            p.m,
            p.n,
            blockIdx.y * p.c.spacing};
}

}  // namespace carat::cuda::sm90
