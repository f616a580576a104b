// C = alpha A B + beta C as the kernels get it.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/common/matrix.cuh"

namespace carat::ladder::cuda {

using carat::cuda::matrix;

// Types: elements of A and B (In) and of C (Out), and the type of sums and factors (Sum). 32-bit
// integers are std::uint32_t throughout: the same bits, and overflow wraps instead of being
// undefined.
template <class In, class Out = In, class Sum = Out>
struct product {
    matrix<const In> a;
    matrix<const In> b;
    matrix<Out> c;
    Sum alpha;
    Sum beta;
};

}  // namespace carat::ladder::cuda
