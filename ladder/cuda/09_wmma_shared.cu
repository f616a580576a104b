// Step 9: tensor cores fed from shared memory, where cp.async brings the tiles (steps 3, 6 and 7
// with fragments in place of elements).
//
//     block: 2 x 2 warps         warp: 4 x 4 fragments of 16 x 16 (f64: 4 x 4 of 8 x 8)
//     +-----+-----+              [ ][ ][ ][ ]
//     |  w0 |  w1 |              [ ][ ][ ][ ]    4 + 4 fragments loaded feed 16 products.
//     +-----+-----+              [ ][ ][ ][ ]
//     |  w2 |  w3 |              [ ][ ][ ][ ]    Three pairs of tiles: one is multiplied while two
//     +-----+-----+                              are under way.
//
// Measured on an H200: one block of 4 x 2 warps a multiprocessor moves fewer bytes than two of 2 x
// 2, and is a tenth slower, because nothing fills its waits at the barrier. f16 and i8 fragments
// are loaded by ldmatrix; bf16, tf32 and f64 ones, which nvcc 13 loads word by word, take longer.
//
// Tiles go to shared memory row by row in chunks of 16 bytes. A tile that sticks out, and every
// tile of a matrix that is not row-major or aligned, is filled element by element.
#include "cuda/common/async_copy.cuh"
#include "ladder/cuda/fragments.cuh"
#include "ladder/cuda/half_product.hpp"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tensor_step.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int warps_m = 2;
constexpr int warps_n = 2;
constexpr int threads = 32 * warps_m * warps_n;
constexpr int each = 4;    // fragments of a warp, down and across
constexpr int stages = 3;  // pairs of tiles

template <class In>
struct shape {
    using f = fragments<In>;
    static constexpr int chunk = 16 / int{sizeof(In)};  // elements
    static constexpr int m = warps_m * each * f::m;
    static constexpr int n = warps_n * each * f::n;
    static constexpr int k = 128 / int{sizeof(In)};
    // Rows are padded by a chunk, so that the rows of a fragment lie in different banks.
    static constexpr int a_width = k + chunk;
    static constexpr int b_width = n + chunk;
    static constexpr int stage = m * a_width + k * b_width;  // elements
    static constexpr int shared_bytes = stages * stage * int{sizeof(In)};
};

// Starts filling the Rows x Cols tile `to`, of row stride Width, with m(i, j) ...
template <int Rows, int Cols, int Width, class T>
__device__ void start_tile(T* to, const matrix<const T>& m, std::int64_t i, std::int64_t j) {
    constexpr int chunk = 16 / int{sizeof(T)};
    constexpr int across = Cols / chunk;
    constexpr int row_step = threads / across;
    const bool aligned = m.col_stride == 1 && m.row_stride % chunk == 0 &&
                         reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0;
    if (aligned && i + Rows <= m.rows && j + Cols <= m.cols) {
        const int row = static_cast<int>(threadIdx.x) / across;
        const int col = static_cast<int>(threadIdx.x) % across * chunk;
        const T* from = &m(i + row, j + col);
#pragma unroll
        for (int r = 0; r < Rows; r += row_step) {
            carat::cuda::copy_async<16>(to + (row + r) * Width + col, from, true);
            from += row_step * m.row_stride;
        }
    } else {
#pragma unroll 1
        for (int e = static_cast<int>(threadIdx.x); e < Rows * Cols; e += threads)
            to[e / Cols * Width + e % Cols] = m.or_zero(i + e / Cols, j + e % Cols);
    }
}

// The warp's tile of sums += its rows of A times its columns of B, for one pair of tiles.
template <class In, class Sums>
__device__ __forceinline__ void multiply(Sums& sum, const In* a, const In* b) {
    using s = shape<In>;
    using f = fragments<In>;
#pragma unroll 2
    for (int k = 0; k < s::k; k += f::k) {
        typename f::template a<> rows[each];
        typename f::template b<> cols[each];
#pragma unroll
        for (int r = 0; r < each; ++r) {
            nvcuda::wmma::load_matrix_sync(rows[r], a + r * f::m * s::a_width + k, s::a_width);
            round_to_precision(rows[r]);
        }
#pragma unroll
        for (int c = 0; c < each; ++c) {
            nvcuda::wmma::load_matrix_sync(cols[c], b + k * s::b_width + c * f::n, s::b_width);
            round_to_precision(cols[c]);
        }
#pragma unroll
        for (int r = 0; r < each; ++r)
#pragma unroll
            for (int c = 0; c < each; ++c)
                nvcuda::wmma::mma_sync(sum[r][c], rows[r], cols[c], sum[r][c]);
    }
}

template <class In, class Out, class Sum>
__global__ void __launch_bounds__(threads, 2) wmma_shared_kernel(product<In, Out, Sum> p) {
    using s = shape<In>;
    using f = fragments<In>;
    if constexpr (f::exists) {
        extern __shared__ __align__(32) unsigned char shared[];
        In* const tiles = reinterpret_cast<In*>(shared);
        const origin first = tile_origin(p.c, s::m, s::n);
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int warp_i = warp / warps_n * each * f::m;
        const int warp_j = warp % warps_n * each * f::n;
        const auto start = [&](int stage, std::int64_t k) {
            In* const a = tiles + stage * s::stage;
            if (k < p.a.cols) {
                start_tile<s::m, s::k, s::a_width>(a, p.a, first.i, k);
                start_tile<s::k, s::n, s::b_width>(a + s::m * s::a_width, p.b, k, first.j);
            }
            carat::cuda::commit_copies();  // also when empty, to keep the count
        };

        typename f::template sum<> sum[each][each];
        for (auto& row : sum)
            for (auto& fragment : row) nvcuda::wmma::fill_fragment(fragment, 0);
        for (int stage = 0; stage < stages - 1; ++stage) start(stage, stage * s::k);
        int now = 0;
        for (std::int64_t k = 0; k < p.a.cols; k += s::k) {
            carat::cuda::wait_for_copies<stages - 2>();
            __syncthreads();
            start((now + stages - 1) % stages, k + (stages - 1) * s::k);
            const In* const a = tiles + now * s::stage;
            multiply(sum, a + warp_i * s::a_width, a + s::m * s::a_width + warp_j);
            now = (now + 1) % stages;
        }

        __syncthreads();  // the tiles' memory becomes the warps' patches
        using sum_type = typename f::sum_type;
        sum_type* const patch = reinterpret_cast<sum_type*>(shared) + warp * f::m * f::n;
#pragma unroll
        for (int r = 0; r < each; ++r)
#pragma unroll
            for (int c = 0; c < each; ++c)
                store_fragment(p, first.i + warp_i + r * f::m, first.j + warp_j + c * f::n,
                               sum[r][c], patch);
    }
}

struct wmma_shared_step {
    static constexpr const char* name = "cuda.ladder.wmma_shared";

    template <class In, class Out, class Sum>
    static plan<In, Out, Sum> choose(const core::settings&) {
        using s = shape<In>;
        return {wmma_shared_kernel<In, Out, Sum>, s::m, s::n, threads, s::shared_bytes};
    }
};

}  // namespace

std::unique_ptr<core::runnable> prepare_half_product(const core::problem& p) {
    if (p.c_type == dtype::f64) return prepare_as<wmma_shared_step, __half, double, float>(p, {});
    return prepare_as<wmma_shared_step, __half, float, float>(p, {});
}

constinit const core::implementation wmma_shared =
    tensor_row<wmma_shared_step>("tensor cores, tiles through shared memory by cp.async");

}  // namespace carat::ladder::cuda
