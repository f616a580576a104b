// The kernel: a mainloop (mainloop/), a tile scheduler (scheduler.cuh) and an epilogue (epilogue/),
// as its configuration names them. Warps are specialised:
//
//     consumers     multiply and store C (consumer/)
//     producer      one thread, loads tiles of A and B through the pipeline (producer.cuh); in a
//                   persistent kernel the three warps beside its own in the warpgroup have
//                   nothing to do
//
// Kernels begin before the one ahead of them on the stream has ended (PDL), after one of single
// tiles when all its CTAs have few loads left, and wait for its end when their barriers are made.
#pragma once

#include <bit>
#include <type_traits>

#include "cuda/common/launch.hpp"
#include "cuda/families/wgmma/consumer/cooperative.cuh"
#include "cuda/families/wgmma/consumer/pingpong.cuh"
#include "cuda/families/wgmma/consumer/single_tile.cuh"
#include "cuda/families/wgmma/producer.cuh"
#include "cuda/ptx/setmaxnreg.cuh"

namespace carat::cuda::wgmma {

// One thread makes them before any other of the cluster uses them.
template <class C, class ElementCompute>
__device__ __forceinline__ void make_barriers(barrier_storage<C>& barriers,
                                              const arguments<ElementCompute>& p,
                                              const cta_coordinate<C>& cta) {
    ptx::init_barriers(barriers.full, 1);
    ptx::init_barriers(barriers.empty, C::stage_readers * cta.receivers());
    ptx::init_barrier(barriers.dsmem, 1);
    ptx::fence_barrier_init();
    if (!C::is_persistent && cta.split_k() > 1)
        ptx::arrive_and_expect_tx(barriers.dsmem, bytes_from_others<C>(p, cta.split_k()));
}

template <class C, class ElementCompute>
__device__ __forceinline__ void run_producer_warps(
    const pipeline<C>& pipe, const tma_descriptors& maps, const cta_problem& of,
    const arguments<ElementCompute>& p, const cta_coordinate<C>& cta, const work_tile& work) {
    if constexpr (C::is_persistent) ptx::setmaxnreg_dec<C::producer_registers>();
    if (C::is_persistent ? threadIdx.x == C::consumer_threads : ptx::elect_one()) {
        acquire_maps(of);
        pipeline_state at = run_producer<C>(pipe, of, p, maps.source, cta, work);
        if (!C::is_persistent) ptx::pdl_trigger();
        if (cta.multicast_ctas > 1) pipe.producer_tail(at);
    }
    __syncwarp();
}

template <class C, class ElementCompute>
__device__ __forceinline__ void run_consumers(const pipeline<C>& pipe, barrier_storage<C>& barriers,
                                              const tma_descriptors& maps, const cta_problem& of,
                                              const arguments<ElementCompute>& p,
                                              const cta_coordinate<C>& cta, const work_tile& work) {
    if constexpr (C::is_persistent) {
        ptx::setmaxnreg_inc<C::consumer_registers>();
        persistent_consumer<C, ElementCompute> own(pipe, maps, p, cta);
        if constexpr (C::is_pingpong)
            consume_pingpong(own);
        else
            consume_cooperative(own);
    } else {
        consume_single_tile<C>(pipe, barriers.dsmem, of.member, p, cta, work);
    }
}

template <class C, class ElementCompute>
__global__ void __launch_bounds__(C::threads, C::ctas_per_sm)
    gemm_kernel(const __grid_constant__ tma_descriptors maps,
                const __grid_constant__ arguments<ElementCompute> p) {
#if CARAT_HAS_WGMMA
    extern __shared__ __align__(1024) unsigned char shared[];  // C::smem_alignment
    __shared__ barrier_storage<C> barriers;
    const pipeline<C> pipe(shared, barriers, p.pipeline);
    const cta_coordinate<C> cta(p.pipeline);
    if (threadIdx.x == 0) {
        if (p.group.count == 0) {
            ptx::prefetch_tensor_map(maps.a);
            ptx::prefetch_tensor_map(maps.b);
        }
        make_barriers(barriers, p, cta);
    }
    if (threadIdx.x == 32 && p.group.count == 0) {  // at the same time
        if (C::is_persistent && p.c.path >= store_path::by_tma) ptx::prefetch_tensor_map(maps.c);
        if (loads_source(p)) ptx::prefetch_tensor_map(maps.source);
    }
    cta_problem of = problem_of_arguments(maps, p, cta.cluster);
    __shared__ work_tile single;  // divisions: before the wait
    if (!C::is_persistent && p.group.count == 0 && threadIdx.x == C::consumer_threads)
        single = single_tile_of(of, cta);
    if (C::is_persistent) ptx::pdl_trigger();
    __syncthreads();
    if (cta.cluster_ctas > 1) ptx::cluster_start();
    ptx::pdl_wait();
    work_tile work{};
    if constexpr (!C::is_persistent) {
        work = single;
        if (p.group.count > 0) {
            of = problem_of_member(p, cta.cluster);
            if (of.k_tiles == 0) return;
            work = single_tile_of(of, cta);
        }
    }
    if (C::is_persistent ? threadIdx.x >= C::consumer_threads
                         : ptx::warpgroup() >= C::consumer_warpgroups)
        run_producer_warps<C>(pipe, maps, of, p, cta, work);
    else
        run_consumers<C>(pipe, barriers, maps, of, p, cta, work);
#endif
}

// Integer sums and factors wrap.
template <class C>
using compute_of =
    std::conditional_t<std::is_same_v<typename C::element, std::int8_t>, std::uint32_t, float>;

template <class C>
void launch(const tma_descriptors& maps, const arguments<float>& with, const launch_shape& shape,
            cudaStream_t stream) {
    launch_closely(
        gemm_kernel<C, compute_of<C>>,
        {dim3(static_cast<unsigned>(shape.ctas), static_cast<unsigned>(shape.batch)), C::threads,
         static_cast<std::size_t>(shape.shared_bytes), static_cast<unsigned>(shape.cluster)},
        stream, maps, std::bit_cast<arguments<compute_of<C>>>(with));
}

template <class C>
[[nodiscard]] kernel kernel_with(const core::kernel_desc& desc, const char* name) {
    return {&desc,
            name,
            reinterpret_cast<const void*>(gemm_kernel<C, compute_of<C>>),
            C::threads,
            C::store_rows,
            C::shared_bytes,
            C::stages_that_fit,
            launch<C>};
}

}  // namespace carat::cuda::wgmma
