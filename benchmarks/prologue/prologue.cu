// What a Hopper kernel spends before its first tile of A has arrived: carat_benchmark_prologue
// prints a line of JSON for each way to make the barriers of a pipeline. Cycles are those of CTA 1
// from its first instruction on; us is the period of such kernels that follow each other in a
// graph.
#include <algorithm>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <vector>

#include "benchmarks/gpu_call/must.hpp"
#include "cuda/common/driver.hpp"
#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/tma.cuh"

namespace {

using namespace carat::cuda;
using carat::benchmark::must;

constexpr int most_stages = 16;
constexpr int threads = 384;
constexpr int shared_bytes = 200000;
constexpr int ctas = 128;
constexpr int box_bytes = 128 * 128;

enum class way : int { in_a_loop, unrolled, unrolled_beside_prefetch };

struct cycles {
    long long made;     // barriers, by the thread that makes them
    long long met;      // after __syncthreads()
    long long cluster;  // when those of all CTAs are made
    long long ordered;  // the first tile
    long long arrived;
};

struct told {
    int stages;
    cycles* out;
};

template <way Way>
__global__ void __launch_bounds__(threads, 1)
    kernel(const __grid_constant__ CUtensorMap map, const __grid_constant__ told p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ ptx::barrier full[most_stages];
    __shared__ ptx::barrier empty[most_stages];
    cycles at{};
    const long long begin = clock64();
    constexpr int prefetcher = Way == way::unrolled_beside_prefetch ? 32 : 0;
    if (threadIdx.x == prefetcher) ptx::prefetch_tensor_map(map);
    if (threadIdx.x == 0) {
        if constexpr (Way == way::in_a_loop) {
#pragma unroll 1
            for (int stage = 0; stage < p.stages; ++stage) {
                ptx::init_barrier(full[stage], 1);
                ptx::init_barrier(empty[stage], 4);
            }
        } else {
            ptx::init_barriers(full, 1);
            ptx::init_barriers(empty, 4);
        }
        ptx::fence_barrier_init();
        at.made = clock64() - begin;
    }
    __syncthreads();
    at.met = clock64() - begin;
    if (ptx::cluster_size() > 1) ptx::cluster_start();
    at.cluster = clock64() - begin;
    if (threadIdx.x == 0) {
        at.ordered = clock64() - begin;
        ptx::arrive_and_expect_tx(full[0], box_bytes);
        ptx::tma_load(shared, map, 0, static_cast<int>(blockIdx.x) * 128, full[0]);
    }
    ptx::wait_for(full[0], 0);
    at.arrived = clock64() - begin;
    if (threadIdx.x == 0 && blockIdx.x == 1) *p.out = at;
}

CUtensorMap map_of(void* data) {
    const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(
        driver_function("cuTensorMapEncodeTiled", 12000));
    CUtensorMap map{};
    const cuuint64_t sizes[] = {2048, cuuint64_t{ctas} * 128};
    const cuuint64_t strides[] = {4096};
    const cuuint32_t box[] = {64, 128};
    const cuuint32_t steps[] = {1, 1};
    if (encode == nullptr || encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, sizes, strides,
                                    box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        must(cudaErrorNotSupported);
    return map;
}

// Measures 20 kernels in a graph; the median of nine replays.
template <class Launch>
double period_us(cudaStream_t stream, const Launch& launch) {
    constexpr int kernels = 20;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < kernels; ++i) launch();
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiate(&ready, graph, 0));
    cudaEvent_t events[2];
    for (cudaEvent_t& e : events) must(cudaEventCreate(&e));
    std::vector<float> ms(9);
    for (float& one : ms) {
        must(cudaEventRecord(events[0], stream));
        must(cudaGraphLaunch(ready, stream));
        must(cudaEventRecord(events[1], stream));
        must(cudaEventSynchronize(events[1]));
        must(cudaEventElapsedTime(&one, events[0], events[1]));
    }
    std::ranges::nth_element(ms, ms.begin() + 4);
    return 1e3 * static_cast<double>(ms[4]) / kernels;
}

template <way Way>
void measure(const char* name, int stages, unsigned cluster, const CUtensorMap& map, cycles* out,
             cudaStream_t stream) {
    must(cudaFuncSetAttribute(kernel<Way>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              shared_bytes));
    cudaLaunchAttribute in_clusters{};
    in_clusters.id = cudaLaunchAttributeClusterDimension;
    in_clusters.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(ctas);
    how.blockDim = dim3(threads);
    how.dynamicSmemBytes = shared_bytes;
    how.stream = stream;
    how.attrs = &in_clusters;
    how.numAttrs = cluster > 1 ? 1 : 0;
    const double us = period_us(stream, [&] {
        must(cudaLaunchKernelEx(&how, kernel<Way>, map, told{stages, out}));
    });
    cycles at{};
    must(cudaMemcpy(&at, out, sizeof at, cudaMemcpyDeviceToHost));
    std::printf(
        "{\"barriers\": \"%s\", \"stages\": %d, \"cluster\": %u, \"us\": %.2f, "
        "\"made\": %lld, \"met\": %lld, \"in_cluster\": %lld, \"ordered\": %lld, "
        "\"arrived\": %lld}\n",
        name, stages, cluster, us, at.made, at.met, at.cluster, at.ordered, at.arrived);
}

}  // namespace

int main() {
    void* data = nullptr;
    cycles* out = nullptr;
    cudaStream_t stream = nullptr;
    must(cudaMalloc(&data, std::size_t{4096} * ctas * 128));
    must(cudaMalloc(&out, sizeof(cycles)));
    must(cudaStreamCreate(&stream));
    const CUtensorMap map = map_of(data);
    for (const unsigned cluster : {1U, 4U})
        for (const int stages : {4, 8, 16}) {
            measure<way::in_a_loop>("in a loop, behind the prefetch", stages, cluster, map, out,
                                    stream);
            measure<way::unrolled>("unrolled, behind the prefetch", stages, cluster, map, out,
                                   stream);
            measure<way::unrolled_beside_prefetch>("unrolled, beside the prefetch", stages, cluster,
                                                   map, out, stream);
        }
    return 0;
}
