// Lines that are contiguous already are copied as they are, each thread 16 bytes of some of them.
// Tiles of other lines go through shared memory, so that reads run along whichever dimension is the
// closer one and writes along the lines, both 16 bytes at a time. Where a line begins anywhere,
// two reads of aligned 16 bytes have what is wanted between them.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/tf32_split.cuh"
#include "cuda/common/unaligned.cuh"
#include "cuda/ptx/global.cuh"
#include "cuda/ptx/pdl.cuh"

namespace carat::cuda {

namespace {

constexpr int threads = 256;

// Elements that are read or written at once.
template <class T>
struct alignas(16) run {
    static constexpr int length = 16 / static_cast<int>(sizeof(T));
    T of[length];
};

// The compiler would make up to eight stores of eight elements.
template <class T>
__device__ __forceinline__ void store(T* to, const run<T>& some) {
    uint4 bits;
    memcpy(&bits, &some, sizeof bits);
    ptx::store_global(reinterpret_cast<std::uintptr_t>(to), bits);
}

// Lines of a tile, and elements of each.
template <class T>
constexpr int side = sizeof(T) == 1 ? 128 : (sizeof(T) == 8 ? 32 : 64);

// A line's pitch is an odd number of words: neighbours down a tile are in different banks.
template <class T>
using tile_of = T[side<T>][side<T> + (sizeof(T) >= 4 ? 1 : 4 / sizeof(T))];

// The bytes of an operand, from the first to behind the last.
struct bytes_there {
    const unsigned char* begin;
    const unsigned char* end;

    explicit bytes_there(const strided& s) : begin(static_cast<const unsigned char*>(s.data)) {
        const std::int64_t elements = (s.lines - 1) * s.across + (s.depth - 1) * s.along + 1;
        end = begin + elements * s.element_bytes;
    }
    __device__ bytes_there(const unsigned char* first, const unsigned char* last)
        : begin(first), end(last) {}
};

// Reads runs that are `next` elements apart: those that exist, `left` elements of each or all of
// it, and zeros for the rest. Whole ones are all on their way before the first is looked at.
template <class T, int Count>
__device__ __forceinline__ void read_runs(run<T> (&some)[Count], const T* from, std::int64_t next,
                                          std::int64_t step, std::int64_t runs_left,
                                          std::int64_t left, const bytes_there& there) {
    if (step == 1 && runs_left >= Count && left >= run<T>::length) {
        const uint4* at[Count];
        unsigned over[Count];
        bool inside = true;
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            const auto* const first = reinterpret_cast<const unsigned char*>(from + i * next);
            over[i] = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % 16);
            at[i] = reinterpret_cast<const uint4*>(first - over[i]);
            inside = inside && first - over[i] >= there.begin &&
                     first - over[i] + (over[i] > 0 ? 32 : 16) <= there.end;
        }
        if (inside) {
            uint4 low[Count];
            uint4 high[Count];
#pragma unroll
            for (int i = 0; i < Count; ++i) low[i] = __ldg(at[i]);
#pragma unroll
            for (int i = 0; i < Count; ++i) high[i] = __ldg(at[i] + (over[i] > 0 ? 1 : 0));
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                const uint4 whole = between(low[i], high[i], over[i]);
                memcpy(&some[i], &whole, sizeof whole);
            }
            return;
        }
    }
#pragma unroll
    for (int i = 0; i < Count; ++i)
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j)
            some[i].of[j] = i < runs_left && j < left ? from[i * next + j * step] : T{};
}

// Zeros in place of what lies beyond the operand.
template <class T>
__device__ __forceinline__ void read_tile(tile_of<T>& tile, const strided& s,
                                          const bytes_there& there, std::int64_t line,
                                          std::int64_t depth) {
    constexpr int per_line = side<T> / run<T>::length;
    constexpr int stride = threads / per_line;
    const bool deep = s.along <= s.across;  // a run's elements follow each other along K
    const std::int64_t step = deep ? s.along : s.across;
    const std::int64_t next = deep ? s.across : s.along;
    const int x = static_cast<int>(threadIdx.x) % per_line * run<T>::length;
    const int y = static_cast<int>(threadIdx.x) / per_line;
    const T* const from =
        reinterpret_cast<const T*>(there.begin) + line * s.across + depth * s.along;
    const std::int64_t runs_left = deep ? s.lines - line : s.depth - depth;
    const std::int64_t left = (deep ? s.depth - depth : s.lines - line) - x;
    run<T> some[side<T> / stride];
    const std::int64_t runs_there = (runs_left - y + stride - 1) / stride;
    read_runs(some, from + x * step + y * next, stride * next, step, runs_there, left, there);
#pragma unroll
    for (int i = 0; i < side<T>; i += stride)
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j)
            (deep ? tile[y + i][x + j] : tile[x + j][y + i]) = some[i / stride].of[j];
}

template <class T, bool Split>
__device__ __forceinline__ void write_run(const run<T>& some, T* to, std::int64_t to_small) {
    if constexpr (Split) {
        run<T> big;
        run<T> small;
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j) {
            const tf32_split both = split_tf32(some.of[j]);
            big.of[j] = both.big;
            small.of[j] = both.small;
        }
        store(to, big);
        store(to + to_small, small);
    } else {
        store(to, some);
    }
}

// One operand's.
struct job {
    strided from;
    bytes_there there;
    void* to;
    std::int64_t length;  // packed_depth()
    std::int64_t stride;  // packed_stride()
    std::uint32_t tiles_deep;
    std::uint32_t tiles_of_matrix;
    std::uint32_t tiles;  // of memory that there is: of more than a KiB each
};

// A matrix of a batch.
template <class T>
struct one_matrix {
    bytes_there there;
    T* to;

    __device__ one_matrix(const job& p, std::int64_t number)
        : there(p.there.begin + number * p.from.matrix_stride * static_cast<int>(sizeof(T)),
                p.there.end + number * p.from.matrix_stride * static_cast<int>(sizeof(T))),
          to(static_cast<T*>(p.to) + number * p.from.lines * p.stride) {}
};

template <class T, bool Split>
__device__ __forceinline__ void write_tile(const tile_of<T>& tile, const job& p, T* first,
                                           std::int64_t line, std::int64_t depth) {
    constexpr int per_line = side<T> / run<T>::length;
    constexpr int stride = threads / per_line;
    const int x = static_cast<int>(threadIdx.x) % per_line * run<T>::length;
    const int y = static_cast<int>(threadIdx.x) / per_line;
    if (depth + x >= p.length) return;
    T* const to = first + line * p.stride + depth + x;
#pragma unroll
    for (int i = 0; i < side<T>; i += stride) {
        if (line + y + i >= p.from.lines) return;
        run<T> some;
#pragma unroll
        for (int j = 0; j < run<T>::length; ++j) some.of[j] = tile[y + i][x + j];
        write_run<T, Split>(some, to + (y + i) * p.stride, p.length);
    }
}

// Tiles of one operand, then those of the other.
struct jobs {
    job first;
    job second;
    std::uint32_t tiles;
};

template <class T>
job job_of(const packing& p, int deep, int high) {
    const auto tiles = [](std::int64_t extent, int of) {
        return static_cast<std::uint32_t>((extent + of - 1) / of);
    };
    const std::int64_t length = packed_depth(p.from);
    const std::uint32_t tiles_deep = tiles(length, deep);
    return {p.from,
            bytes_there(p.from),
            p.to,
            length,
            p.stride,
            tiles_deep,
            tiles(p.from.lines, high) * tiles_deep,
            tiles(p.from.lines, high) * tiles_deep * static_cast<std::uint32_t>(p.from.matrices)};
}

// Calls `f` for each tile of a block with its operand, the number of its matrix, its place down and
// right.
template <class F>
__device__ __forceinline__ void each_tile(const jobs& all, const F& f) {
    for (std::uint32_t t = blockIdx.x; t < all.tiles; t += gridDim.x) {
        const bool first = t < all.first.tiles;
        const job& p = first ? all.first : all.second;
        const std::uint32_t of_all = first ? t : t - all.first.tiles;
        const std::uint32_t matrix = p.from.matrices == 1 ? 0 : of_all / p.tiles_of_matrix;
        const std::uint32_t own = of_all - matrix * p.tiles_of_matrix;
        f(p, std::int64_t{matrix}, std::int64_t{own / p.tiles_deep},
          std::int64_t{own % p.tiles_deep});
    }
}

template <class T, bool Split>
__global__ void __launch_bounds__(threads) pack_kernel(const __grid_constant__ jobs all) {
    __shared__ tile_of<T> tile;
    ptx::pdl_trigger();
    ptx::pdl_wait();
    each_tile(all, [](const job& p, std::int64_t matrix, std::int64_t down, std::int64_t right) {
        const one_matrix<T> own(p, matrix);
        read_tile<T>(tile, p.from, own.there, down * side<T>, right * side<T>);
        __syncthreads();
        write_tile<T, Split>(tile, p, own.to, down * side<T>, right * side<T>);
        __syncthreads();
    });
}

// A tile of contiguous lines is as long as the runs of a warp's lanes, and a few lines a warp high.
template <class T>
constexpr int copied_deep = 32 * run<T>::length;
constexpr int lines_of_warp = 4;
constexpr int copied_high = threads / 32 * lines_of_warp;

template <class T, bool Split>
__global__ void __launch_bounds__(threads, sizeof(T) == 1 ? 2 : 4)
    copy_kernel(const __grid_constant__ jobs all) {
    constexpr int stride = threads / 32;
    ptx::pdl_trigger();
    ptx::pdl_wait();
    const int thread = static_cast<int>(threadIdx.x);
    each_tile(all, [&](const job& p, std::int64_t matrix, std::int64_t down, std::int64_t right) {
        const one_matrix<T> own(p, matrix);
        const std::int64_t depth = right * copied_deep<T> + thread % 32 * run<T>::length;
        const std::int64_t line = down * copied_high + thread / 32;
        const std::int64_t lines_there = (p.from.lines - line + stride - 1) / stride;
        if (depth >= p.length) return;
        run<T> some[lines_of_warp];
        read_runs(some, reinterpret_cast<const T*>(own.there.begin) + line * p.from.across + depth,
                  stride * p.from.across, 1, lines_there, p.from.depth - depth, own.there);
        T* to = own.to + line * p.stride + depth;
#pragma unroll
        for (int i = 0; i < lines_of_warp; ++i, to += stride * p.stride)
            if (i < lines_there) write_run<T, Split>(some[i], to, p.length);
    });
}

void start(void (*kernel)(jobs), const jobs& all, cudaStream_t stream) {
    launch_closely(kernel, {dim3(std::min(all.tiles, 1U << 20)), threads}, stream, all);
}

template <class T, bool Split>
void pack_as(std::span<const packing> given, cudaStream_t stream) {
    const bool in_lines =
        std::ranges::all_of(given, [](const packing& p) { return p.from.along == 1; });
    const auto of = [&](const packing& p) {
        return in_lines ? job_of<T>(p, copied_deep<T>, copied_high)
                        : job_of<T>(p, side<T>, side<T>);
    };
    jobs all{of(given.front()), of(given.back()), 0};
    all.tiles = all.first.tiles + (given.size() > 1 ? all.second.tiles : 0);
    start(in_lines ? copy_kernel<T, Split> : pack_kernel<T, Split>, all, stream);
}

// Calls `f` with the type that such elements are copied as, and whether they are cut.
template <class F>
void with_type(const strided& s, const F& f) {
    if (s.is_split) return f(float{}, std::true_type{});
    if (s.element_bytes == 1) return f(std::uint8_t{}, std::false_type{});
    if (s.element_bytes == 2) return f(std::uint16_t{}, std::false_type{});
    if (s.element_bytes == 4) return f(std::uint32_t{}, std::false_type{});
    f(std::uint64_t{}, std::false_type{});
}

}  // namespace

void load_packing(const strided& like) {
    with_type(like, []<class T, class Split>(T, Split) {
        load(copy_kernel<T, Split::value>);
        load(pack_kernel<T, Split::value>);
    });
}

void pack(std::span<const packing> all, cudaStream_t stream) {
    with_type(all.front().from,
              [&]<class T, class Split>(T, Split) { pack_as<T, Split::value>(all, stream); });
}

}  // namespace carat::cuda
