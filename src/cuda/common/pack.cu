// A tile of 32 x 32 goes through shared memory, so that reads run along whichever dimension is the
// closer one and writes along K.
#include <algorithm>

#include "cuda/common/error.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/ptx/dependents.cuh"

namespace carat::cuda {

namespace {

constexpr int side = 32;
constexpr int rows_at_once = 8;

template <class T>
__global__ void __launch_bounds__(side* rows_at_once)
    pack_kernel(const T* from, strided s, T* to, std::int64_t to_stride) {
    __shared__ T tile[side][side + 1];
    const int x = static_cast<int>(threadIdx.x) % side;
    const int y = static_cast<int>(threadIdx.x) / side;
    const std::int64_t tiles_deep = (s.depth + side - 1) / side;
    const std::int64_t tiles = (s.lines + side - 1) / side * tiles_deep;
    const bool along_first = s.along <= s.across;
    ptx::let_dependents_begin();
    ptx::wait_for_predecessors();
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const std::int64_t line = t / tiles_deep * side;
        const std::int64_t depth = t % tiles_deep * side;
        for (int i = y; i < side; i += rows_at_once) {
            const int l = along_first ? i : x;
            const int d = along_first ? x : i;
            if (line + l < s.lines && depth + d < s.depth)
                tile[l][d] = from[(line + l) * s.across + (depth + d) * s.along];
        }
        __syncthreads();
        for (int i = y; i < side; i += rows_at_once)
            if (line + i < s.lines && depth + x < s.depth)
                to[(line + i) * to_stride + depth + x] = tile[i][x];
        __syncthreads();
    }
}

template <class T>
void pack_as(const strided& from, void* to, cudaStream_t stream) {
    const std::int64_t tiles = (from.lines + side - 1) / side * ((from.depth + side - 1) / side);
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, 1 << 16));
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(blocks);
    how.blockDim = dim3(side * rows_at_once);
    how.stream = stream;
    cudaLaunchAttribute closely{};
    closely.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    closely.val.programmaticStreamSerializationAllowed = 1;
    how.attrs = &closely;
    how.numAttrs = 1;
    CARAT_CUDA_CHECK(cudaLaunchKernelEx(&how, pack_kernel<T>, static_cast<const T*>(from.data),
                                        from, static_cast<T*>(to),
                                        packed_stride(from.depth, from.element_bytes)));
}

}  // namespace

void pack(const strided& from, void* to, cudaStream_t stream) {
    if (from.element_bytes == 1) return pack_as<std::uint8_t>(from, to, stream);
    if (from.element_bytes == 2) return pack_as<std::uint16_t>(from, to, stream);
    if (from.element_bytes == 4) return pack_as<std::uint32_t>(from, to, stream);
    pack_as<std::uint64_t>(from, to, stream);
}

}  // namespace carat::cuda
