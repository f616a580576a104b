#include <algorithm>

#include "cuda/common/ends.hpp"
#include "cuda/common/error.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/common/ragged.cuh"
#include "cuda/ptx/pdl.cuh"

namespace carat::cuda {

namespace {

// As many as arguments of 4096 bytes hold.
constexpr int most_ends = 1000;
struct ends_chunk {
    std::int32_t* to;
    int count;
    std::int32_t of[most_ends];
};

__global__ void __launch_bounds__(256) write_ends_kernel(const __grid_constant__ ends_chunk chunk) {
    ptx::pdl_trigger();
    ptx::pdl_wait();
    for (int i = static_cast<int>(threadIdx.x); i < chunk.count; i += 256)
        chunk.to[i] = chunk.of[i];
}

__global__ void __launch_bounds__(32) last_end_kernel(int* to, ragged_ends of) {
    const ragged_part behind = ragged_part_of(of, 1, of.count);
    if (threadIdx.x == 0) *to = behind.end;
}

}  // namespace

void write_ends(std::int32_t* to, std::span<const std::int32_t> ends, cudaStream_t stream) {
    load(write_ends_kernel);
    for (std::size_t first = 0; first < ends.size(); first += most_ends) {
        const auto some =
            ends.subspan(first, std::min<std::size_t>(most_ends, ends.size() - first));
        ends_chunk chunk{to + first, static_cast<int>(some.size()), {}};
        std::ranges::copy(some, chunk.of);
        launch_closely(write_ends_kernel, {dim3(1), 256}, stream, chunk);
    }
}

void load_last_end() {
    load(last_end_kernel);
}

void write_last_end(int* to, const ragged_ends& of, cudaStream_t stream) {
    last_end_kernel<<<1, 32, 0, stream>>>(to, of);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carat::cuda
