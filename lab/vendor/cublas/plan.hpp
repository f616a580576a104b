// A product as cuBLASLt sees it, and the kernels its heuristics propose for it, best guess first.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "lab/rows/operation.hpp"
#include "lab/vendor/cublas/arithmetic.hpp"
#include "lab/vendor/cublas/library.hpp"

namespace carat::vendor::cublas {

// Products at one distance from each other, in elements of A, B and C.
struct batch {
    std::int32_t count = 1;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

class plan {
  public:
    plan(const core::problem& p, shortcut taken, const batch& of = {}, origin from = origin::system,
         const rows::epilogue& last = {}, bool block_scales = false);

    /// At most `most` kernels for operands aligned to `alignment` bytes; empty when it has none.
    [[nodiscard]] std::vector<cublasLtMatmulAlgo_t> proposals(int most, unsigned alignment) const;

    /// The numbers that an epilogue adds, of C's type in the GPU's memory, for what starts next.
    void set_bias(const void* values) const;

    /// The same of scales of blocks, as block_scale_places has them.
    void set_scales(const core::problem& p, const float* scales) const;

    /// Starts the product on stream_in_use(), with what beta multiplies in `e`, or C where that is
    /// null.
    cublasStatus_t start(const core::operands& data, const cublasLtMatmulAlgo_t& with) const;

  private:
    void set_scale_mode(int which, std::int32_t mode) const;
    void set_scale_pointers(const float* of_a, const float* of_b) const;
    struct destroy {
        const functions* call;
        void operator()(cublasLtMatmulDesc_t d) const { call->lt_operation_destroy(d); }
        void operator()(cublasLtMatrixLayout_t d) const { call->lt_layout_destroy(d); }
    };
    template <class Handle>
    using owned = std::unique_ptr<std::remove_pointer_t<Handle>, destroy>;

    [[nodiscard]] owned<cublasLtMatrixLayout_t> layout(cudaDataType_t type, std::int64_t rows,
                                                       std::int64_t cols, std::int64_t ld,
                                                       std::int64_t stride) const;

    origin from_;
    blas_shape shape_;
    batch batch_;
    arithmetic how_;
    factor alpha_;
    factor beta_;
    owned<cublasLtMatmulDesc_t> operation_;
    owned<cublasLtMatrixLayout_t> first_;
    owned<cublasLtMatrixLayout_t> second_;
    owned<cublasLtMatrixLayout_t> c_;
};

}  // namespace carat::vendor::cublas
