#include <algorithm>

#include "cuda/common/handles.hpp"
#include "lab/gpu/verify/elements.cuh"
#include "spoil.hpp"

namespace carat::mutants {

namespace {

using gpu::device_matrix;
using gpu::matrix_of;
using gpu::widened;
using gpu::with_device_type;

constexpr int threads = 256;

// Entry by entry of [i0, i1) x [j0, j1).
struct walk {
    std::int64_t i0, i1, j0, j1;

    template <class Work>
    __device__ void each(const Work& work) const {
        const std::int64_t cols = j1 - j0;
        const std::int64_t count = (i1 - i0) * cols;
        for (std::int64_t e = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < count;
             e += std::int64_t{gridDim.x} * blockDim.x)
            work(i0 + e / cols, j0 + e % cols);
    }
    [[nodiscard]] unsigned blocks() const {
        const std::int64_t count = (i1 - i0) * (j1 - j0);
        return static_cast<unsigned>(
            std::clamp<std::int64_t>((count + threads - 1) / threads, 1, 1 << 14));
    }
};

walk walk_of(const mutant& by) {
    return {by.i0, by.i1, by.j0, by.j1};
}

__device__ double rounded(double value, int digits) {
    if (digits == 0 || value == 0) return value;
    const double unit = ldexp(1.0, ilogb(value) + 1 - digits);
    return rint(value / unit) * unit;
}

__global__ void widening_kernel(const std::int32_t* from, std::int64_t count, double* to) {
    walk{0, 1, 0, count}.each([&](std::int64_t, std::int64_t e) { to[e] = from[e]; });
}

template <class A, class B>
__global__ void adding_kernel(device_matrix<const A> a, device_matrix<const B> b, std::int64_t n,
                              std::int64_t k, mutant by, addend what, walk over, double* sums) {
    over.each([&](std::int64_t i, std::int64_t j) {
        double sum = 0;
        for (std::int64_t q = by.k0; q < by.k1; ++q)
            sum += rounded(widened(a.at(i, (q + what.a_shift + k) % k)), what.a_digits) *
                   rounded(widened(b.at((q + what.b_shift + k) % k, j)), what.b_digits);
        sums[i * n + j] += what.sign * sum;
    });
}

__global__ void spoiling_kernel(mutant by, std::int64_t m, std::int64_t n, walk over,
                                const double* right, const double* before, double* sums) {
    over.each([&](std::int64_t i, std::int64_t j) {
        const coordinates from = source_of(by, i, j, m, n);
        double value = right[from.i * n + from.j];
        if (by.how == effect::zero) value = 0;
        if (by.how == effect::stale) value = before == nullptr ? 0 : before[i * n + j];
        sums[i * n + j] = value;
    });
}

template <class T>
__global__ void storing_kernel(const double* sums, std::int64_t n, walk over, device_matrix<T> c) {
    over.each([&](std::int64_t i, std::int64_t j) {
        double value = sums[i * n + j];
        if constexpr (std::is_integral_v<T>) value -= ldexp(floor(ldexp(value, -32) + 0.5), 32);
        c.at(i, j) = static_cast<T>(value);
    });
}

}  // namespace

void start_widening(const void* integers, std::int64_t count, double* to) {
    const unsigned blocks = walk{0, 1, 0, count}.blocks();
    widening_kernel<<<blocks, threads, 0, cuda::stream_in_use()>>>(
        static_cast<const std::int32_t*>(integers), count, to);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_adding(const core::problem& p, const core::operands& data, const mutant& by,
                  const addend& what, double* sums) {
    const walk over = walk_of(by);
    with_device_type(p.a_type, [&](auto a) {
        with_device_type(p.b_type, [&](auto b) {
            using A = decltype(a);
            using B = decltype(b);
            if constexpr (std::is_integral_v<A> == std::is_integral_v<B> && sizeof(A) == sizeof(B))
                adding_kernel<A, B><<<over.blocks(), threads, 0, cuda::stream_in_use()>>>(
                    matrix_of<const A>(data.a, p.a_layout), matrix_of<const B>(data.b, p.b_layout),
                    p.n, p.k, by, what, over, sums);
        });
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_spoiling(const core::problem& p, const mutant& by, const double* right,
                    const double* before, double* sums) {
    const walk over = walk_of(by);
    spoiling_kernel<<<over.blocks(), threads, 0, cuda::stream_in_use()>>>(by, p.m, p.n, over, right,
                                                                          before, sums);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

void start_storing(const core::problem& p, const double* sums, void* c) {
    const walk over{0, p.m, 0, p.n};
    const auto start = [&](auto element) {
        using T = decltype(element);
        storing_kernel<T><<<over.blocks(), threads, 0, cuda::stream_in_use()>>>(
            sums, p.n, over, matrix_of<T>(c, p.c_layout));
    };
    if (p.c_type == dtype::f64) start(double{});
    if (p.c_type == dtype::f32) start(float{});
    if (p.c_type == dtype::i32) start(std::int32_t{});
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carat::mutants
