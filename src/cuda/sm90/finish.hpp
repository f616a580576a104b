// What a product may do with its sums on their way to C, besides alpha and beta:
//
//     C(i, j) = activation(alpha AB(i, j) scale + bias) + beta D(i, j)
//
// in the time of the product, where a kernel of its own would read and write all of C again. Of a
// gate A B has twice the n columns of C, and so have scale and bias of columns:
//
//     x = alpha AB scale + bias          C(i, j) = activation(x(i, j)) x(i, j + n) + beta D(i, j)
#pragma once

#include "cuda/common/activation.hpp"

namespace carat::cuda::sm90 {

using cuda::activation;

/// One number for each row of C, or for each column; in device memory.
struct line_values {
    const float* values = nullptr;  // null: none
    bool of_rows = false;
};

struct finish {
    line_values scale;
    line_values bias;
    activation then = activation::none;
    bool gates = false;
    const void* residual = nullptr;  // D, in device memory, type and strides as C; null: C itself

    [[nodiscard]] bool is_nothing() const {
        return scale.values == nullptr && bias.values == nullptr && then == activation::none &&
               !gates && residual == nullptr;
    }
};

}  // namespace carat::cuda::sm90
