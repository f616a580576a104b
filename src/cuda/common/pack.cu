// A tile goes through shared memory, so that reads run along whichever dimension is the closer one
// and writes along K, both 16 bytes at a time.
#include <algorithm>
#include <cstdint>

#include "cuda/common/error.hpp"
#include "cuda/common/halves.cuh"
#include "cuda/common/pack.hpp"
#include "cuda/ptx/dependents.cuh"

namespace carat::cuda {

namespace {

constexpr int threads = 256;

// Elements that are read or written at once.
template <class T>
struct alignas(16) run {
    static constexpr int length = 16 / static_cast<int>(sizeof(T));
    T of[length];
};

// Lines of a tile, and elements of each.
template <class T>
constexpr int side = sizeof(T) == 1 ? 128 : (sizeof(T) == 8 ? 32 : 64);

// A line's pitch is an odd number of words: neighbours down a tile are in different banks.
template <class T>
using tile_of = T[side<T>][side<T> + (sizeof(T) >= 4 ? 1 : 4 / sizeof(T))];

template <class T>
__device__ __forceinline__ run<T> read_run(const T* from, std::int64_t step, std::int64_t left,
                                           bool at_once) {
    if (at_once && left >= run<T>::length) return *reinterpret_cast<const run<T>*>(from);
    run<T> some{};
#pragma unroll
    for (int i = 0; i < run<T>::length; ++i)
        if (i < left) some.of[i] = from[i * step];
    return some;
}

// Zeros in place of what lies beyond the operand.
template <class T>
__device__ __forceinline__ void read_tile(tile_of<T>& tile, const strided& s, std::int64_t line,
                                          std::int64_t depth) {
    constexpr int per_line = side<T> / run<T>::length;
    constexpr int apart = threads / per_line;
    const bool deep = s.along <= s.across;  // a run's elements follow each other along K
    const std::int64_t step = deep ? s.along : s.across;
    const std::int64_t next = deep ? s.across : s.along;
    const bool at_once = step == 1 && next * static_cast<int>(sizeof(T)) % 16 == 0 &&
                         reinterpret_cast<std::uintptr_t>(s.data) % 16 == 0;
    const int x = static_cast<int>(threadIdx.x) % per_line * run<T>::length;
    const int y = static_cast<int>(threadIdx.x) / per_line;
    const T* const from = static_cast<const T*>(s.data) + line * s.across + depth * s.along;
    const std::int64_t runs_left = deep ? s.lines - line : s.depth - depth;
    const std::int64_t left = (deep ? s.depth - depth : s.lines - line) - x;
    run<T> some[side<T> / apart];
#pragma unroll
    for (int i = 0; i < side<T>; i += apart)
        some[i / apart] = y + i < runs_left
                              ? read_run(from + x * step + (y + i) * next, step, left, at_once)
                              : run<T>{};
#pragma unroll
    for (int i = 0; i < side<T>; i += apart)
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j)
            (deep ? tile[y + i][x + j] : tile[x + j][y + i]) = some[i / apart].of[j];
}

template <class T, bool Halves>
__device__ __forceinline__ void write_run(const run<T>& some, T* to, std::int64_t to_small) {
    if constexpr (Halves) {
        run<T> large;
        run<T> small;
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j) {
            const halves both = halves_of(some.of[j]);
            large.of[j] = both.large;
            small.of[j] = both.small;
        }
        *reinterpret_cast<run<T>*>(to) = large;
        *reinterpret_cast<run<T>*>(to + to_small) = small;
    } else {
        *reinterpret_cast<run<T>*>(to) = some;
    }
}

// One operand's.
struct job {
    strided from;
    void* to;
    std::int64_t length;  // packed_depth()
    std::int64_t stride;  // packed_stride()
    std::int64_t tiles_deep;
    std::int64_t tiles;
};

template <class T, bool Halves>
__device__ __forceinline__ void write_tile(const tile_of<T>& tile, const job& p, std::int64_t line,
                                           std::int64_t depth) {
    constexpr int per_line = side<T> / run<T>::length;
    constexpr int apart = threads / per_line;
    const int x = static_cast<int>(threadIdx.x) % per_line * run<T>::length;
    const int y = static_cast<int>(threadIdx.x) / per_line;
    if (depth + x >= p.length) return;
    T* const to = static_cast<T*>(p.to) + line * p.stride + depth + x;
#pragma unroll
    for (int i = 0; i < side<T>; i += apart) {
        if (line + y + i >= p.from.lines) return;
        run<T> some;
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j) some.of[j] = tile[y + i][x + j];
        write_run<T, Halves>(some, to + (y + i) * p.stride, p.length);
    }
}

// Tiles of one operand, then those of the other.
struct jobs {
    job of[2];
    std::int64_t tiles;
};

template <class T>
job job_of(const packing& p) {
    const auto tiles = [](std::int64_t extent) { return (extent + side<T> - 1) / side<T>; };
    const std::int64_t length = packed_depth(p.from);
    return {p.from,        p.to,
            length,        packed_stride(p.from),
            tiles(length), tiles(p.from.lines) * tiles(length)};
}

template <class T, bool Halves>
__global__ void __launch_bounds__(threads) pack_kernel(const __grid_constant__ jobs all) {
    __shared__ tile_of<T> tile;
    ptx::let_dependents_begin();
    ptx::wait_for_predecessors();
    for (std::int64_t t = blockIdx.x; t < all.tiles; t += gridDim.x) {
        const bool first = t < all.of[0].tiles;
        const job& p = all.of[first ? 0 : 1];
        const std::int64_t own = first ? t : t - all.of[0].tiles;
        const std::int64_t line = own / p.tiles_deep * side<T>;
        const std::int64_t depth = own % p.tiles_deep * side<T>;
        read_tile<T>(tile, p.from, line, depth);
        __syncthreads();
        write_tile<T, Halves>(tile, p, line, depth);
        __syncthreads();
    }
}

template <class T, bool Halves>
void pack_as(std::span<const packing> given, cudaStream_t stream) {
    jobs all{};
    for (std::size_t i = 0; i < given.size(); ++i) {
        all.of[i] = job_of<T>(given[i]);
        all.tiles += all.of[i].tiles;
    }
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(std::min<std::int64_t>(all.tiles, 1 << 20)));
    how.blockDim = dim3(threads);
    how.stream = stream;
    cudaLaunchAttribute closely{};
    closely.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    closely.val.programmaticStreamSerializationAllowed = 1;
    how.attrs = &closely;
    how.numAttrs = 1;
    CARAT_CUDA_CHECK(cudaLaunchKernelEx(&how, pack_kernel<T, Halves>, all));
}

}  // namespace

void pack(std::span<const packing> all, cudaStream_t stream) {
    const strided& s = all.front().from;
    if (s.in_halves) return pack_as<float, true>(all, stream);
    if (s.element_bytes == 1) return pack_as<std::uint8_t, false>(all, stream);
    if (s.element_bytes == 2) return pack_as<std::uint16_t, false>(all, stream);
    if (s.element_bytes == 4) return pack_as<std::uint32_t, false>(all, stream);
    pack_as<std::uint64_t, false>(all, stream);
}

}  // namespace carat::cuda
