// Which product a single_tile CTA works on: the one that the arguments describe, or one of a group,
// which it finds in a table in global memory.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/ptx/tensor_map.cuh"

namespace carat::cuda::wgmma {

// The last of `count` ascending numbers, the first of them 0, that is not above `index`. By a whole
// warp, which looks at 32 of them at a time.
__device__ __forceinline__ int last_not_above(const int* numbers, int count, int index) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int low = 0;
#pragma unroll 1
    while (true) {
        const int stride = (count + 31) / 32;
        const int at = lane * stride;
        const bool is = at < count && numbers[low + at] <= index;
        const int passed = (__popc(__ballot_sync(0xffffffffu, is)) - 1) * stride;
        low += passed;
        count = min(stride, count - passed);
        if (stride == 1) return low;
    }
}

struct cta_problem {
    const CUtensorMap* a;
    const CUtensorMap* b;
    int k_tiles;
    int tiles_m;
    int tiles_n;
    int cluster;                 // its number among those of the product
    const group_member* member;  // null: the product of the arguments
    int first_row;               // where the product begins in its maps
    int first_col;
    int first_k;
};

template <class ElementCompute>
__device__ __forceinline__ cta_problem problem_of_arguments(const tma_descriptors& maps,
                                                            const arguments<ElementCompute>& p,
                                                            int cluster) {
    return {
        &maps.a, &maps.b, p.problem.k_tiles, p.grid.tiles_m, p.grid.tiles_n, cluster, nullptr, 0,
        0,       0};
}
template <class ElementCompute>
__device__ __forceinline__ cta_problem problem_of_member(const arguments<ElementCompute>& p,
                                                         int cluster) {
    const int number = last_not_above(p.group.first_cluster, p.group.count, cluster);
    const group_member* const own = p.group.members + number;
    return {&own->a,      &own->b,        own->k_tiles,
            own->tiles_m, own->tiles_n,   cluster - p.group.first_cluster[number],
            own,          own->first_row, own->first_col,
            own->first_k};
}

// The producer acquires maps that another kernel wrote.
__device__ __forceinline__ void acquire_maps(const cta_problem& of) {
    if (of.member == nullptr) return;
    ptx::acquire_tensor_map(*of.a);
    ptx::acquire_tensor_map(*of.b);
}

// Where a CTA's part of C goes.
struct output_view {
    void* c;
    const void* source;
    std::int64_t row_stride;
    std::int64_t col_stride;
    int m;
    int n;
    std::int64_t first;  // element of the product's C
};

template <class ElementCompute>
__device__ __forceinline__ output_view output_of(const arguments<ElementCompute>& p,
                                                 const group_member* own) {
    if (own != nullptr)
        return {own->c, own->source, own->row_stride, own->col_stride, own->m, own->n, 0};
    const void* const residual = p.epilogue.fusion.residual;
    return {p.c.data,
            residual != nullptr ? residual : p.c.data,
            p.c.row_stride,
            p.c.col_stride,
            p.problem.m,
            p.problem.n,
            blockIdx.y * p.c.batch_stride};
}

}  // namespace carat::cuda::wgmma
