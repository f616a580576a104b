// Sums of parts of C, as in host_place.cpp. They move each element once, so memory decides their
// speed. Integers wrap, as those of products on a GPU do.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string>

#include <carat/error.hpp>

#include "distributed/gpu/sums.hpp"

namespace carat::distributed::gpu {

namespace {

template <class T>
struct elements {
    T* data;
    std::int64_t row_stride, col_stride;

    __device__ T& at(std::int64_t i, std::int64_t j) const {
        return data[i * row_stride + j * col_stride];
    }
};

template <class T>
elements<T> elements_of(const block& b) {
    return {static_cast<T*>(b.data), b.row_stride, b.col_stride};
}

struct extent {
    std::int64_t rows, cols;
};

template <class Each>
__device__ void for_each(extent size, const Each& each) {
    for (std::int64_t i = blockIdx.y * blockDim.y + threadIdx.y; i < size.rows;
         i += std::int64_t{gridDim.y} * blockDim.y)
        for (std::int64_t j = blockIdx.x * blockDim.x + threadIdx.x; j < size.cols;
             j += std::int64_t{gridDim.x} * blockDim.x)
            each(i, j);
}

template <class Sum, class Part>
__global__ void add_kernel(elements<Sum> sums, elements<Part> part, extent size) {
    for_each(size, [&](std::int64_t i, std::int64_t j) { sums.at(i, j) += Sum(part.at(i, j)); });
}

template <class Sum, class C>
__global__ void finish_kernel(elements<C> to, elements<Sum> sums, double alpha, double beta,
                              elements<C> c, extent size) {
    for_each(size, [&](std::int64_t i, std::int64_t j) {
        const double sum = alpha * double(sums.at(i, j));
        to.at(i, j) = C(beta == 0 ? sum + 0.0 : sum + beta * double(float(c.at(i, j))));
    });
}

// C of double and of integers is not read through float.
template <>
__global__ void finish_kernel(elements<double> to, elements<double> sums, double alpha, double beta,
                              elements<double> c, extent size) {
    for_each(size, [&](std::int64_t i, std::int64_t j) {
        const double sum = alpha * sums.at(i, j);
        to.at(i, j) = beta == 0 ? sum + 0.0 : sum + beta * c.at(i, j);
    });
}
template <>
__global__ void finish_kernel(elements<std::int32_t> to, elements<std::int64_t> sums, double alpha,
                              double beta, elements<std::int32_t> c, extent size) {
    for_each(size, [&](std::int64_t i, std::int64_t j) {
        const std::int64_t of_c = beta == 0 ? 0 : std::int64_t(beta) * c.at(i, j);
        to.at(i, j) = std::int32_t(std::uint32_t(std::int64_t(alpha) * sums.at(i, j) + of_c));
    });
}

dim3 grid_of(const block& b) {
    const auto part = [](std::size_t size, unsigned by) {
        constexpr std::size_t most = 1024;
        const std::size_t parts = (size + by - 1) / by;
        return unsigned(parts < most ? parts : most);
    };
    return {part(b.cols, 32), part(b.rows, 8)};
}

template <class Launch>
void launch(const block& over, const Launch& start) {
    if (over.rows == 0 || over.cols == 0) return;
    start(grid_of(over), dim3(32, 8), extent{std::int64_t(over.rows), std::int64_t(over.cols)});
    if (const cudaError_t failed = cudaGetLastError(); failed != cudaSuccess)
        throw error(error_code::device_failed,
                    std::string("distributed product: adding parts of C failed: ") +
                        cudaGetErrorString(failed));
}

template <class Sum, class Part>
void start_add(const block& sums, const block& part, cudaStream_t on) {
    launch(sums, [&](dim3 grid, dim3 threads, extent size) {
        add_kernel<<<grid, threads, 0, on>>>(elements_of<Sum>(sums), elements_of<Part>(part), size);
    });
}

template <class Sum, class C>
void start_finish(const block& to, const block& sums, double alpha, double beta, const block& c,
                  cudaStream_t on) {
    launch(to, [&](dim3 grid, dim3 threads, extent size) {
        finish_kernel<<<grid, threads, 0, on>>>(elements_of<C>(to), elements_of<Sum>(sums), alpha,
                                                beta, elements_of<C>(c), size);
    });
}

}  // namespace

void add(const block& sums, const block& part, stream on) {
    const auto s = static_cast<cudaStream_t>(on);
    switch (part.type) {
        case dtype::f64:
            return start_add<double, double>(sums, part, s);
        case dtype::f32:
            return start_add<float, float>(sums, part, s);
        default:
            return start_add<std::int64_t, std::int32_t>(sums, part, s);
    }
}

void finish(const block& to, const block& sums, double alpha, double beta, const block& c,
            stream on) {
    const auto s = static_cast<cudaStream_t>(on);
    switch (to.type) {
        case dtype::f64:
            return start_finish<double, double>(to, sums, alpha, beta, c, s);
        case dtype::f32:
            return start_finish<float, float>(to, sums, alpha, beta, c, s);
        case dtype::f16:
            return start_finish<float, __half>(to, sums, alpha, beta, c, s);
        case dtype::bf16:
            return start_finish<float, __nv_bfloat16>(to, sums, alpha, beta, c, s);
        default:
            return start_finish<std::int64_t, std::int32_t>(to, sums, alpha, beta, c, s);
    }
}

}  // namespace carat::distributed::gpu
