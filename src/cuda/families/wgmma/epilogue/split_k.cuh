// What the epilogues of single tiles share: which CTA of a split-K cluster this is, where in C its
// tile is, and where in distributed shared memory the others send their accumulators.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/barrier_ids.cuh"
#include "cuda/families/wgmma/config.hpp"
#include "cuda/families/wgmma/group.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/named_barrier.cuh"
#include "cuda/ptx/thread.cuh"

namespace carat::cuda::wgmma {

// Which of the CTAs that split K, each with a rank of the cluster.
struct split_of_k {
    int split;
    int split_k;
};

// The rank of the CTA that has another split of the same tile, of so many.
__device__ __forceinline__ int rank_of_split(int other, int own, int splits) {
    return ptx::cluster_rank() + (other - own) * (ptx::cluster_size() >> ptx::log2_of(splits));
}

struct single_tile {
    const group_member* member;  // null: the product of the arguments
    split_of_k own;
    int row;  // of C
    int col;
    int thread;  // of all consumers
};

struct reduction_smem {
    unsigned char* own;     // where the pipeline was
    unsigned char* others;  // where the other CTAs write
    ptx::barrier& arrived;  // counts their bytes
};

// One of so many parts, a power of 2.
__device__ __forceinline__ int one_of(int all, int parts) {
    return all >> ptx::log2_of(parts);
}

template <class C>
__device__ __forceinline__ void sync_consumers() {
    ptx::sync_at<C::consumer_threads, barrier_id::consumers>();
}

}  // namespace carat::cuda::wgmma
