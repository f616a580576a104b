// Step 10: f32 or f64 matrices on the f16 tensor cores. A and B are first rounded to f16, in a
// kernel of its own, then step 9 multiplies them.
//
//     A (f32) --round--> A (f16) --+
//                                  +--> C (f32), with f16's precision and f16's range
//     B (f32) --round--> B (f16) --+
//
// The rounding is part of every run, as it would be in a program whose data are f32: the difference
// from step 9's time is what it costs. The row says that it computes in f16, whatever C's type is;
// calling such a figure "double precision" is a known mistake. Values beyond 65504 become infinite.
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(to_half_step<T>::threads)
    to_half_kernel(matrix<const T> from, matrix<__half> to) {
    constexpr int block = to_half_step<T>::threads;
    const std::int64_t step = std::int64_t{gridDim.x} * block;
    for (std::int64_t e = std::int64_t{blockIdx.x} * block + threadIdx.x; e < from.rows * from.cols;
         e += step)
        to(e / from.cols, e % from.cols) = static_cast<__half>(from(e / from.cols, e % from.cols));
}

}  // namespace

template <class T>
auto to_half_step<T>::kernel() -> void (*)(matrix<const T>, matrix<__half>) {
    if constexpr (is_built<T>)
        return to_half_kernel<T>;
    else
        return nullptr;
}
template struct to_half_step<float>;
template struct to_half_step<double>;

}  // namespace carat::ladder::cuda
