// Step 9: tensor cores fed from shared memory, which cp.async fills with tiles (steps 3, 6 and 7
// with fragments instead of elements).
//
//     block: 2 x 4 warps         warp: 4 x 4 fragments of 16 x 16 (f64: 8 x 8)
//     +----+----+----+----+      [ ][ ][ ][ ]
//     | w0 | w1 | w2 | w3 |      [ ][ ][ ][ ]    4 + 4 fragments loaded feed 16 products.
//     +----+----+----+----+      [ ][ ][ ][ ]
//     | w4 | w5 | w6 | w7 |      [ ][ ][ ][ ]    Four pairs of tiles: one is multiplied while
//     +----+----+----+----+                      three are under way.
//
// Measured on an H200 at 4096^3 in f16: with 128 x 128 tiles L2 delivers 5.1 TB/s, its limit, at
// 328 TFLOP/s; hence 128 x 256. Fragments are loaded one step ahead of their products. Copies that
// start all at once wait for each other in the load unit, so a part of the tile is started at each
// step: 361 TFLOP/s. Only f16 and i8 fragments are loaded by ldmatrix; nvcc 13 loads bf16, tf32 and
// f64 ones word by word, so these keep two smaller blocks on each SM, and bf16 and tf32 have no
// registers left to load ahead.
//
// Tiles go to shared memory row by row in chunks of 16 bytes. A tile that sticks out, and every
// tile of a matrix that is not row-major or aligned, is filled element by element.
#include "cuda/common/async_copy.cuh"
#include "ladder/cuda/fragments.cuh"
#include "ladder/cuda/tensor_types.cuh"

namespace carat::ladder::cuda {

inline constexpr int warps_m = 2;
inline constexpr int each = 4;  // fragments of a warp, down and across

// Not in the unnamed namespace: devices without a type's fragments use half of it, and nvcc warns.
//
// Small: what GPUs with 48 KB of shared memory can hold; of little interest elsewhere.
template <class In, bool Small>
struct wmma_shape {
    using f = fragments<In>;
    using element = In;
    static constexpr bool by_ldmatrix =
        std::is_same_v<In, __half> || std::is_same_v<In, std::int8_t>;
    static constexpr bool quick = by_ldmatrix && !Small;
    static constexpr bool ahead = by_ldmatrix || std::is_same_v<In, double>;
    static constexpr int warps_n = quick ? 4 : 2;
    static constexpr int threads = 32 * warps_m * warps_n;
    static constexpr int blocks = quick ? 1 : 2;              // a multiprocessor
    static constexpr int stages = Small ? 2 : quick ? 4 : 3;  // pairs of tiles
    static constexpr int chunk = 16 / int{sizeof(In)};        // elements
    static constexpr int m = warps_m * each * f::m;
    static constexpr int n = warps_n * each * f::n;
    static constexpr int k = (Small ? 64 : 128) / int{sizeof(In)};
    static constexpr int steps = k / f::k;
    static constexpr int parts = steps < 4 ? steps : 4;  // of a tile, copied one after the other
    // Rows are padded by a chunk, so that the rows of a fragment lie in different banks.
    static constexpr int a_width = k + chunk;
    static constexpr int b_width = n + chunk;
    static constexpr int stage = m * a_width + k * b_width;  // elements
    static constexpr int shared_bytes = stages * stage * int{sizeof(In)};
};

namespace {

// Fills Rows x Cols tiles in shared memory, of row stride Width, that follow each other along the
// matrix' columns (Across) or down its rows. Each in parts, so that copies and products alternate.
template <int Rows, int Cols, int Width, bool Across, class Shape, class T>
class chunk_copier {
    static constexpr int chunk = 16 / int{sizeof(T)};
    static constexpr int across = Cols / chunk;
    static constexpr int row_step = Shape::threads / across;
    static constexpr int parts = Shape::parts;
    static_assert(Rows / parts % row_step == 0);

  public:
    __device__ chunk_copier(const matrix<const T>& m, std::int64_t i, std::int64_t j)
        : matrix_(m),
          first_(Across ? i : j),
          row_(static_cast<int>(threadIdx.x) / across),
          col_(static_cast<int>(threadIdx.x) % across * chunk),
          next_(&m(i + row_, j + col_)),
          step_(row_step * m.row_stride),
          to_next_tile_(Across ? Cols - Rows * m.row_stride : 0) {}

    // Whether chunks can be copied without looking, as far as the other direction goes.
    __device__ bool fits() const {
        const bool aligned = matrix_.col_stride == 1 && matrix_.row_stride % chunk == 0 &&
                             reinterpret_cast<std::uintptr_t>(matrix_.data) % 16 == 0;
        return aligned && first_ + (Across ? Rows : Cols) <= (Across ? matrix_.rows : matrix_.cols);
    }

    __device__ __forceinline__ void start(T* tile, int part) {
        constexpr int rows = Rows / parts;
        T* const to = tile + (part * rows + row_) * Width + col_;
#pragma unroll
        for (int r = 0; r < rows; r += row_step) {
            carat::cuda::copy_async<16>(to + r * Width, next_, true);
            next_ += step_;
        }
        if (part == parts - 1) next_ += to_next_tile_;
    }

    // A whole tile element by element, from k on, with zeros beyond the edges.
    __device__ void fill(T* tile, std::int64_t k) const {
        const std::int64_t i = Across ? first_ : k;
        const std::int64_t j = Across ? k : first_;
#pragma unroll 1
        for (int e = static_cast<int>(threadIdx.x); e < Rows * Cols; e += Shape::threads)
            tile[e / Cols * Width + e % Cols] = matrix_.or_zero(i + e / Cols, j + e % Cols);
    }

  private:
    const matrix<const T>& matrix_;
    std::int64_t first_;
    int row_;
    int col_;
    const T* next_;
    std::int64_t step_;
    std::int64_t to_next_tile_;
};

// A warp's fragments of its rows of A and columns of B, k to k + f::k of a pair of tiles.
template <class s>
struct operand_fragments {
    using f = typename s::f;
    using In = typename s::element;
    typename f::template a<> rows[each];
    typename f::template b<> cols[each];

    __device__ __forceinline__ void load(const In* a, const In* b, int k) {
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
    }

    template <class Sums>
    __device__ __forceinline__ void multiply(Sums& sum) const {
#pragma unroll
        for (int r = 0; r < each; ++r)
#pragma unroll
            for (int c = 0; c < each; ++c)
                nvcuda::wmma::mma_sync(sum[r][c], rows[r], cols[c], sum[r][c]);
    }
};

template <bool Small, class In, class Out, class Sum>
__global__ void __launch_bounds__(wmma_shape<In, Small>::threads, wmma_shape<In, Small>::blocks)
    wmma_shared_kernel(product<In, Out, Sum> p) {
    using s = wmma_shape<In, Small>;
    using f = fragments<In>;
    if constexpr (f::exists) {
        extern __shared__ __align__(32) unsigned char shared[];
        In* const tiles = reinterpret_cast<In*>(shared);
        const origin first = tile_origin(p.c, s::m, s::n);
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const int warp_i = warp / s::warps_n * each * f::m;
        const int warp_j = warp % s::warps_n * each * f::n;
        chunk_copier<s::m, s::k, s::a_width, true, s, In> copy_a(p.a, first.i, 0);
        chunk_copier<s::k, s::n, s::b_width, false, s, In> copy_b(p.b, 0, first.j);
        const std::int64_t last_whole = copy_a.fits() && copy_b.fits() ? p.a.cols - s::k : -1;
        const auto start = [&](int stage, std::int64_t k, int part) {
            In* const a = tiles + stage * s::stage;
            In* const b = a + s::m * s::a_width;
            if (k <= last_whole) {
                copy_a.start(a, part);
                copy_b.start(b, part);
            } else if (part == 0 && k < p.a.cols) {
                copy_a.fill(a, k);
                copy_b.fill(b, k);
            }
            if (part == s::parts - 1) carat::cuda::commit_copies();  // also when empty: they count
        };
        const auto arrive = [] {
            carat::cuda::wait_for_copies<s::stages - 2>();
            __syncthreads();
        };
        const auto load = [&](operand_fragments<s>& own, int stage, int step) {
            const In* const a = tiles + stage * s::stage + warp_i * s::a_width;
            own.load(a, a + (s::m - warp_i) * s::a_width + warp_j, step * f::k);
        };

        typename f::template sum<> sum[each][each];
        for (auto& row : sum)
            for (auto& fragment : row) nvcuda::wmma::fill_fragment(fragment, 0);
        for (int stage = 0; stage < s::stages - 1; ++stage)
            for (int part = 0; part < s::parts; ++part) start(stage, stage * s::k, part);
        arrive();
        operand_fragments<s> own[2];
        load(own[0], 0, 0);
        int now = 0;
        int before = s::stages - 1;
        for (std::int64_t k = 0; k < p.a.cols; k += s::k) {
#pragma unroll
            for (int t = 0; t < s::steps; ++t) {
                if (t < s::parts) start(before, k + (s::stages - 1) * s::k, t);
                if (t == s::steps - 1) {
                    before = now;
                    now = now == s::stages - 1 ? 0 : now + 1;
                    arrive();
                }
                if (s::ahead) load(own[(t + 1) % 2], now, (t + 1) % s::steps);
                own[t % 2].multiply(sum);
                if (!s::ahead) load(own[(t + 1) % 2], now, (t + 1) % s::steps);
            }
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

template <bool Small, class In, class Out, class Sum>
plan<In, Out, Sum> chosen() {
    using s = wmma_shape<In, Small>;
    return {wmma_shared_kernel<Small, In, Out, Sum>, s::m, s::n, s::threads, s::shared_bytes};
}

}  // namespace

template <class In, class Out, class Sum>
plan<In, Out, Sum> wmma_shared_step::choose(int small) {
    constexpr bool for_step_10 = std::is_same_v<In, __half> && is_built<Out>;
    if constexpr (is_built<In> || for_step_10) {
        if (small == 1) return chosen<true, In, Out, Sum>();
        return chosen<false, In, Out, Sum>();
    } else {
        return {};
    }
}
CARAT_TENSOR_TYPES(wmma_shared_step)
// Step 10 has these as well.
template plan<__half, double, float> wmma_shared_step::choose(int);

}  // namespace carat::ladder::cuda
