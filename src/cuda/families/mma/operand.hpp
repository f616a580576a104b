// Operands as the kernels read them: A as its rows, B as its columns, in runs of neighbours in
// memory, along K or across it.
#pragma once

#include "core/gpu_call.hpp"
#include "core/problem.hpp"
#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

struct operand_shape {
    std::int64_t element_bytes;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next

    // Any stride will do for lines of one element, and for one line.
    [[nodiscard]] bool is_contiguous_along_k() const { return along == 1 || depth == 1; }
    [[nodiscard]] bool is_contiguous_across_k() const { return across == 1 || lines == 1; }
    [[nodiscard]] bool lies_along_k() const {
        return is_contiguous_along_k() && !(is_contiguous_across_k() && depth == 1);
    }
    [[nodiscard]] std::int64_t run_stride() const {
        if (lies_along_k()) return lines == 1 ? 0 : across;
        return depth == 1 ? 0 : along;
    }
    // Places in a tile are counted in 32 bits.
    [[nodiscard]] bool is_readable() const {
        constexpr std::int64_t most = 1 << 23;
        return (is_contiguous_along_k() || is_contiguous_across_k()) && run_stride() < most &&
               run_stride() > -most;
    }
};

[[nodiscard]] operand_shape a_of(const core::problem& p);
[[nodiscard]] operand_shape b_of(const core::problem& p);

/// Elements of which runs begin at multiples: those of 16 bytes, or, of 16-bit ones, fewer.
[[nodiscard]] int together(const operand_shape& of, const void* data, std::int64_t product_stride);

[[nodiscard]] operand_view view_of(const operand_shape& of, const void* data, std::int64_t apart);

/// Kernels are compiled for operands that lie so, but for A across K and B along it: C^T = B^T A^T
/// then. Operands of bytes both lie along K.
[[nodiscard]] bool swaps(const core::problem& p);

/// `call`, or its C^T = B^T A^T.
[[nodiscard]] core::gpu_call as_computed(core::gpu_call call);

[[nodiscard]] bool has_contiguous_columns(const core::problem& p);
[[nodiscard]] bool has_contiguous_rows(const core::problem& p);

}  // namespace carat::cuda::mma
