// Sums of parts of C, as in host_place.cpp. They compute little, so memory decides their speed.
// Integers wrap, as those of products on a GPU do.
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

// What is added to the sums before they are finished.
template <class Sum>
struct several {
    elements<Sum> of[most_parts];
    int count;
};

__device__ double wide(double x) {
    return x;
}
template <class T>
__device__ double wide(T x) {
    return double(float(x));
}

template <class Sum, class C>
__device__ C finished(Sum sum, double alpha, double beta, C c) {
    const double all = alpha * double(sum);
    return C(beta == 0 ? all + 0.0 : all + beta * wide(c));
}
__device__ std::int32_t finished(std::int64_t sum, double alpha, double beta, std::int32_t c) {
    const std::int64_t of_c = beta == 0 ? 0 : std::int64_t(beta) * c;
    return std::int32_t(std::uint32_t(std::int64_t(alpha) * sum + of_c));
}

template <class Sum, class C>
__global__ void finish_kernel(elements<C> to, elements<Sum> sums, several<Sum> parts, double alpha,
                              double beta, elements<C> c, extent size) {
    for_each(size, [&](std::int64_t i, std::int64_t j) {
        Sum sum = sums.at(i, j);
        for (int p = 0; p < parts.count; ++p) sum += parts.of[p].at(i, j);
        C was{};  // c may be null if beta is 0
        if (beta != 0) was = c.at(i, j);
        to.at(i, j) = finished(sum, alpha, beta, was);
    });
}

// Four elements of a row, which one instruction loads or stores, or two of double.
template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) quad {
    T of[4];
};

template <class T>
elements<quad<T>> quads(const elements<T>& e) {
    return {reinterpret_cast<quad<T>*>(e.data), e.row_stride / 4, 1};
}

// The same for quads; `size` counts them.
template <class Sum, class C>
__global__ void finish_quads(elements<quad<C>> to, elements<quad<Sum>> sums,
                             several<quad<Sum>> parts, double alpha, double beta,
                             elements<quad<C>> c, extent size) {
    for_each(size, [&](std::int64_t i, std::int64_t j) {
        quad<Sum> sum = sums.at(i, j);
        for (int p = 0; p < parts.count; ++p) {
            const quad<Sum> part = parts.of[p].at(i, j);
            for (int e = 0; e < 4; ++e) sum.of[e] += part.of[e];
        }
        quad<C> was{}, all;
        if (beta != 0) was = c.at(i, j);
        for (int e = 0; e < 4; ++e) all.of[e] = finished(sum.of[e], alpha, beta, was.of[e]);
        to.at(i, j) = all;
    });
}

template <class T>
bool has_quads(const elements<T>& e) {
    return e.col_stride == 1 && e.row_stride % 4 == 0 &&
           reinterpret_cast<std::uintptr_t>(e.data) % alignof(quad<T>) == 0;
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
void start_finish(const block& to, const block& sums, std::span<const block> parts, double alpha,
                  double beta, const block& c, cudaStream_t on) {
    const elements<C> target = elements_of<C>(to), before = elements_of<C>(c);
    const elements<Sum> own = elements_of<Sum>(sums);
    several<Sum> all{{}, int(parts.size())};
    several<quad<Sum>> all_quads{{}, all.count};
    bool has =
        to.cols % 4 == 0 && has_quads(target) && has_quads(own) && (beta == 0 || has_quads(before));
    for (int p = 0; p < all.count; ++p) {
        all.of[p] = elements_of<Sum>(parts[std::size_t(p)]);
        all_quads.of[p] = quads(all.of[p]);
        has = has && has_quads(all.of[p]);
    }
    block over = to;
    if (has) over.cols /= 4;
    launch(over, [&](dim3 grid, dim3 threads, extent size) {
        if (has)
            finish_quads<<<grid, threads, 0, on>>>(quads(target), quads(own), all_quads, alpha,
                                                   beta, quads(before), size);
        else
            finish_kernel<<<grid, threads, 0, on>>>(target, own, all, alpha, beta, before, size);
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

void finish(const block& to, const block& sums, std::span<const block> parts, double alpha,
            double beta, const block& c, stream on) {
    const auto s = static_cast<cudaStream_t>(on);
    switch (to.type) {
        case dtype::f64:
            return start_finish<double, double>(to, sums, parts, alpha, beta, c, s);
        case dtype::f32:
            return start_finish<float, float>(to, sums, parts, alpha, beta, c, s);
        case dtype::f16:
            return start_finish<float, __half>(to, sums, parts, alpha, beta, c, s);
        case dtype::bf16:
            return start_finish<float, __nv_bfloat16>(to, sums, parts, alpha, beta, c, s);
        default:
            return start_finish<std::int64_t, std::int32_t>(to, sums, parts, alpha, beta, c, s);
    }
}

}  // namespace carat::distributed::gpu
