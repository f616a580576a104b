// A B in f64 for every entry, beside |A| |B| in f32, by a plain kernel: a block makes 128 x 64
// entries, a thread 8 x 4 of them, from tiles of 16 k in shared memory.
#include <algorithm>
#include <type_traits>

#include "lab/gpu/verify/elements.cuh"
#include "lab/gpu/verify/kernels.hpp"

namespace carat::gpu {

namespace {

constexpr int tile_rows = 128;
constexpr int tile_cols = 64;
constexpr int tile_depth = 16;
constexpr int side_threads = 16;  // 16 x 16 in a block
constexpr int rows_each = tile_rows / side_threads;
constexpr int cols_each = tile_cols / side_threads;
constexpr int threads = side_threads * side_threads;

// Integers multiply modulo 2^32, as C has them.
template <class T>
using sum_of = std::conditional_t<std::is_integral_v<T>, std::uint32_t, double>;

template <class Sum, class T>
__device__ Sum operand(T value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<Sum>(static_cast<std::int32_t>(value));
    else
        return widened(value);
}

template <class Sum>
struct tiles {
    Sum a[tile_depth][tile_rows];
    Sum b[tile_depth][tile_cols];
};

// Zeros beyond the edges. Neighbouring threads read neighbours in memory.
template <class Sum, int Lines, class T>
__device__ void load(Sum (&to)[tile_depth][Lines], const device_matrix<const T>& lines,
                     std::int64_t first_line, std::int64_t all_lines, std::int64_t first_k,
                     std::int64_t depth) {
    const bool along_k = lines.col_stride <= lines.row_stride;
    for (int index = static_cast<int>(threadIdx.x); index < Lines * tile_depth; index += threads) {
        const int line = along_k ? index / tile_depth : index % Lines;
        const int k = along_k ? index % tile_depth : index / Lines;
        const bool inside = first_line + line < all_lines && first_k + k < depth;
        to[k][line] = inside ? operand<Sum>(lines.at(first_line + line, first_k + k)) : Sum{0};
    }
}

// `b` as its columns.
template <class A, class B>
__global__ void __launch_bounds__(threads)
    reference_kernel(device_matrix<const A> a, device_matrix<const B> b, std::int64_t m,
                     std::int64_t n, std::int64_t k, sum_of<A>* sums, float* magnitudes) {
    using sum = sum_of<A>;
    __shared__ tiles<sum> shared;
    const std::int64_t i0 = std::int64_t{blockIdx.y} * tile_rows;
    const std::int64_t j0 = std::int64_t{blockIdx.x} * tile_cols;
    const int x = static_cast<int>(threadIdx.x) % side_threads;
    const int y = static_cast<int>(threadIdx.x) / side_threads;
    sum c[rows_each][cols_each] = {};
    float d[rows_each][cols_each] = {};
    for (std::int64_t k0 = 0; k0 < k; k0 += tile_depth) {
        load(shared.a, a, i0, m, k0, k);
        load(shared.b, b, j0, n, k0, k);
        __syncthreads();
#pragma unroll 4
        for (int q = 0; q < tile_depth; ++q) {
            sum of_a[rows_each];
            sum of_b[cols_each];
            for (int r = 0; r < rows_each; ++r) of_a[r] = shared.a[q][y + side_threads * r];
            for (int s = 0; s < cols_each; ++s) of_b[s] = shared.b[q][x + side_threads * s];
            for (int r = 0; r < rows_each; ++r)
                for (int s = 0; s < cols_each; ++s) {
                    if constexpr (std::is_same_v<sum, double>) {
                        c[r][s] = fma(of_a[r], of_b[s], c[r][s]);
                        d[r][s] = fmaf(fabsf(static_cast<float>(of_a[r])),
                                       fabsf(static_cast<float>(of_b[s])), d[r][s]);
                    } else {
                        c[r][s] += of_a[r] * of_b[s];
                    }
                }
        }
        __syncthreads();
    }
    for (int r = 0; r < rows_each; ++r)
        for (int s = 0; s < cols_each; ++s) {
            const std::int64_t i = i0 + y + side_threads * r;
            const std::int64_t j = j0 + x + side_threads * s;
            if (i >= m || j >= n) continue;
            sums[i * n + j] = c[r][s];
            if constexpr (std::is_same_v<sum, double>) magnitudes[i * n + j] = d[r][s];
        }
}

// C isn't read where beta is 0.
template <class T>
__global__ void factors_kernel(device_matrix<const T> c, std::int64_t m, std::int64_t n,
                               double alpha, double beta, sum_of<T>* sums, float* magnitudes) {
    for (std::int64_t i = blockIdx.y; i < m; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < n;
             j += std::int64_t{gridDim.x} * threads) {
            const std::int64_t at = i * n + j;
            if constexpr (std::is_integral_v<T>) {
                const auto whole = [](double x) {
                    return static_cast<std::uint32_t>(static_cast<std::int32_t>(x));
                };
                const std::uint32_t old =
                    beta == 0 ? 0
                              : static_cast<std::uint32_t>(static_cast<std::int32_t>(c.at(i, j)));
                sums[at] = whole(alpha) * sums[at] + whole(beta) * old;
            } else {
                const double added = beta == 0 ? 0 : beta * widened(c.at(i, j));
                sums[at] = fma(alpha, sums[at], added);
                magnitudes[at] = __double2float_ru(fabs(alpha) * magnitudes[at] + fabs(added));
            }
        }
}

template <class T>
__global__ void largest_kernel(device_matrix<const T> of, std::int64_t rows, std::int64_t cols,
                               unsigned* largest) {
    float most = 0;
    for (std::int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < cols;
             j += std::int64_t{gridDim.x} * threads)
            most = fmaxf(most, __double2float_ru(fabs(widened(of.at(i, j)))));
    atomicMax(largest, __float_as_uint(most));
}

template <class T>
__global__ void comparison_kernel(device_matrix<const T> c, std::int64_t m, std::int64_t n,
                                  const double* sums, const float* magnitudes, tolerance allowed,
                                  found_on_device* found) {
    double most = 0;
    double most_units = 0;
    for (std::int64_t i = blockIdx.y; i < m; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < n;
             j += std::int64_t{gridDim.x} * threads) {
            const double expected = sums[i * n + j];
            const double magnitude = magnitudes[i * n + j];
            const double error = fabs(widened(c.at(i, j)) - expected);
            const double most_allowed = allowed.constant + allowed.of_magnitude * magnitude +
                                        allowed.of_value * fabs(expected);
            if (!(error <= most_allowed)) found->add(i * n + j, error);
            most = fmax(most, error);
            most_units = fmax(most_units, error / fmax(allowed.unit_of_magnitude * magnitude,
                                                       allowed.least_unit));
        }
    atomicMax(&found->largest_error, found_on_device::bits_of(most));
    atomicMax(&found->largest_in_units, found_on_device::bits_of(most_units));
}

template <class T>
__global__ void integers_kernel(device_matrix<const T> c, std::int64_t m, std::int64_t n,
                                const std::uint32_t* sums, found_on_device* found) {
    for (std::int64_t i = blockIdx.y; i < m; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < n;
             j += std::int64_t{gridDim.x} * threads) {
            const auto apart = static_cast<std::int32_t>(
                static_cast<std::uint32_t>(static_cast<std::int32_t>(c.at(i, j))) -
                sums[i * n + j]);
            if (apart != 0) found->add(i * n + j, static_cast<double>(apart));
        }
}

template <class Word>
__global__ void pattern_kernel(device_matrix<Word> to, std::int64_t rows, std::int64_t cols,
                               Word pattern) {
    for (std::int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < cols;
             j += std::int64_t{gridDim.x} * threads)
            to.at(i, j) = pattern;
}

dim3 blocks_for(std::int64_t rows, std::int64_t cols) {
    return {static_cast<unsigned>(std::min<std::int64_t>((cols + threads - 1) / threads, 1024)),
            static_cast<unsigned>(std::min<std::int64_t>(rows, 1 << 13))};
}

}  // namespace

void start_reference(const core::problem& p, const core::operands& data, void* sums,
                     float* magnitudes) {
    const dim3 blocks(static_cast<unsigned>((p.n + tile_cols - 1) / tile_cols),
                      static_cast<unsigned>((p.m + tile_rows - 1) / tile_rows));
    with_device_type(p.a_type, [&](auto a) {
        with_device_type(p.b_type, [&](auto b) {
            using A = decltype(a);
            using B = decltype(b);
            // No one multiplies numbers with integers, or numbers of different sizes.
            if constexpr (std::is_integral_v<A> == std::is_integral_v<B> &&
                          sizeof(A) == sizeof(B)) {
                reference_kernel<A, B><<<blocks, threads, 0, cuda::stream_in_use()>>>(
                    matrix_of<const A>(data.a, p.a_layout),
                    matrix_of<const B>(data.b, {p.b_layout.col_stride, p.b_layout.row_stride}), p.m,
                    p.n, p.k, static_cast<sum_of<A>*>(sums), magnitudes);
            }
        });
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_factors(const core::problem& p, const void* c, void* sums, float* magnitudes) {
    with_device_type(p.c_type, [&](auto element) {
        using T = decltype(element);
        factors_kernel<<<blocks_for(p.m, p.n), threads, 0, cuda::stream_in_use()>>>(
            matrix_of<const T>(c, p.c_layout), p.m, p.n, p.alpha, p.beta,
            static_cast<sum_of<T>*>(sums), magnitudes);
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_largest(dtype type, const void* data, std::int64_t rows, std::int64_t cols,
                   const core::layout& where, unsigned* largest) {
    with_device_type(type, [&](auto element) {
        largest_kernel<<<blocks_for(rows, cols), threads, 0, cuda::stream_in_use()>>>(
            matrix_of<const decltype(element)>(data, where), rows, cols, largest);
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_comparison(const core::problem& p, const void* c, const void* sums,
                      const float* magnitudes, const tolerance& allowed, found_on_device* found) {
    with_device_type(p.c_type, [&](auto element) {
        using T = decltype(element);
        const auto matrix = matrix_of<const T>(c, p.c_layout);
        const dim3 blocks = blocks_for(p.m, p.n);
        cudaStream_t stream = cuda::stream_in_use();
        if constexpr (std::is_integral_v<T>)
            integers_kernel<<<blocks, threads, 0, stream>>>(
                matrix, p.m, p.n, static_cast<const std::uint32_t*>(sums), found);
        else
            comparison_kernel<<<blocks, threads, 0, stream>>>(
                matrix, p.m, p.n, static_cast<const double*>(sums), magnitudes, allowed, found);
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_pattern(std::uint64_t bits, std::size_t size, std::int64_t rows, std::int64_t cols,
                   const core::layout& where, void* to) {
    const auto start = [&](auto word) {
        using Word = decltype(word);
        pattern_kernel<<<blocks_for(rows, cols), threads, 0, cuda::stream_in_use()>>>(
            matrix_of<Word>(to, where), rows, cols, static_cast<Word>(bits));
    };
    if (size == 8) start(std::uint64_t{});
    if (size == 4) start(std::uint32_t{});
    if (size == 2) start(std::uint16_t{});
    if (size == 1) start(std::uint8_t{});
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carat::gpu
