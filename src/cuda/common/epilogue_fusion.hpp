// What an epilogue may do with a product on its way to C, besides alpha and beta:
//
//     C(i, j) = activation(alpha AB(i, j) scale + bias) + beta D(i, j)
//
// in the time of the product, where a kernel of its own would read and write all of C again. In a
// GLU A B has twice the n columns of C, and so have scale and bias of columns:
//
//     x = alpha AB scale + bias          C(i, j) = activation(x(i, j)) x(i, j + n) + beta D(i, j)
#pragma once

#include "cuda/common/activation.hpp"

namespace carat::cuda {

/// One number for each row of C, or for each column; in device memory.
struct broadcast_vector {
    const float* values = nullptr;  // null: none
    bool per_row = false;
};

struct epilogue_fusion {
    broadcast_vector scale;
    broadcast_vector bias;
    activation activation_function = activation::none;
    bool is_glu = false;
    const void* residual = nullptr;  // D, in device memory, type and strides as C; null: C itself

    [[nodiscard]] bool is_identity() const { return changes_no_sum() && residual == nullptr; }
    // But D may be added.
    [[nodiscard]] bool changes_no_sum() const {
        return scale.values == nullptr && bias.values == nullptr &&
               activation_function == activation::none && !is_glu;
    }
};

}  // namespace carat::cuda
