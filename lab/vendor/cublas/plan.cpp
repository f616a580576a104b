#include "lab/vendor/cublas/plan.hpp"

#include "cuda/common/handles.hpp"
#include "lab/rows/block_scale_places.hpp"

namespace carat::vendor::cublas {

namespace {

// Attributes that cublasLt.h names since CUDA 12.9; older headers do not, and libraries that do not
// know them refuse.
constexpr int a_scale_mode = 31;
constexpr int b_scale_mode = 32;
constexpr std::int32_t vectors_of_128 = 4;
constexpr std::int32_t blocks_of_128_x_128 = 5;

// The ones that cuBLASLt has: silu is missing.
cublasLtEpilogue_t epilogue_of(const rows::epilogue& last) {
    if (last.f == rows::activation::relu)
        return last.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    if (last.f == rows::activation::gelu)
        return last.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    return last.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

}  // namespace

plan::plan(const core::problem& p, shortcut taken, const batch& of, origin from,
           const rows::epilogue& last, bool block_scales)
    : from_(from),
      shape_(shape_for_blas(p)),
      batch_(of),
      how_(arithmetic_for(p, taken)),
      alpha_(p.alpha, how_.scale),
      beta_(p.beta, how_.scale) {
    const functions& call = library(from_);
    cublasLtMatmulDesc_t operation = nullptr;
    check(call.lt_operation_create(&operation, how_.compute, how_.scale),
          "cublasLtMatmulDescCreate");
    operation_ = owned<cublasLtMatmulDesc_t>(operation, destroy{&call});
    const auto transpose = [&](cublasLtMatmulDescAttributes_t which, char letter) {
        const std::int32_t value = letter == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T;
        check(call.lt_operation_set(operation, which, &value, sizeof(value)),
              "cublasLtMatmulDescSetAttribute");
    };
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, shape_.first_letter);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, shape_.second_letter);
    if (how_.fast_accumulation) {
        constexpr std::int8_t on = 1;
        check(call.lt_operation_set(operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &on, sizeof(on)),
              "cublasLtMatmulDescSetAttribute");
    }
    if (!last.is_none()) {
        const cublasLtEpilogue_t value = epilogue_of(last);
        check(
            call.lt_operation_set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, sizeof(value)),
            "cublasLtMatmulDescSetAttribute");
    }
    if (block_scales) {
        set_scale_mode(a_scale_mode, shape_.swapped ? blocks_of_128_x_128 : vectors_of_128);
        set_scale_mode(b_scale_mode, shape_.swapped ? vectors_of_128 : blocks_of_128_x_128);
        // Heuristics refuse modes without addresses, which the call alone knows.
        alignas(16) static constexpr float somewhere[4] = {};
        set_scale_pointers(somewhere, somewhere);
    }
    const auto operand = [&](cudaDataType_t type, char letter, std::int64_t rows, std::int64_t cols,
                             std::int64_t ld, std::int64_t stride) {
        return letter == 'N' ? layout(type, rows, cols, ld, stride)
                             : layout(type, cols, rows, ld, stride);
    };
    first_ = operand(shape_.swapped ? how_.b : how_.a, shape_.first_letter, shape_.m, shape_.k,
                     shape_.first_ld, shape_.swapped ? of.b : of.a);
    second_ = operand(shape_.swapped ? how_.a : how_.b, shape_.second_letter, shape_.k, shape_.n,
                      shape_.second_ld, shape_.swapped ? of.a : of.b);
    c_ = layout(how_.out, shape_.m, shape_.n, shape_.c_ld, of.c);
}

void plan::set_scale_mode(int which, std::int32_t mode) const {
    check(library(from_).lt_operation_set(operation_.get(),
                                          static_cast<cublasLtMatmulDescAttributes_t>(which), &mode,
                                          sizeof(mode)),
          "cublasLtMatmulDescSetAttribute");
}

void plan::set_scales(const core::problem& p, const float* scales) const {
    const core::block_scales of = rows::block_scale_places(p).at(scales);
    set_scale_pointers(shape_.swapped ? of.b : of.a, shape_.swapped ? of.a : of.b);
}

void plan::set_scale_pointers(const float* of_a, const float* of_b) const {
    const auto set = [&](cublasLtMatmulDescAttributes_t which, const float* first) {
        check(library(from_).lt_operation_set(operation_.get(), which, &first, sizeof(first)),
              "cublasLtMatmulDescSetAttribute");
    };
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_a);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_b);
}

plan::owned<cublasLtMatrixLayout_t> plan::layout(cudaDataType_t type, std::int64_t rows,
                                                 std::int64_t cols, std::int64_t ld,
                                                 std::int64_t stride) const {
    cublasLtMatrixLayout_t made = nullptr;
    check(library(from_).lt_layout_create(&made, type, static_cast<std::uint64_t>(rows),
                                          static_cast<std::uint64_t>(cols), ld),
          "cublasLtMatrixLayoutCreate");
    owned<cublasLtMatrixLayout_t> owner(made, destroy{&library(from_)});
    const auto set = [&](cublasLtMatrixLayoutAttribute_t which, const auto& value) {
        check(library(from_).lt_layout_set(made, which, &value, sizeof(value)),
              "cublasLtMatrixLayoutSetAttribute");
    };
    if (batch_.count > 1) {
        set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch_.count);
        set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
    }
    return owner;
}

std::vector<cublasLtMatmulAlgo_t> plan::proposals(int most, unsigned alignment) const {
    const functions& call = library(from_);
    cublasLtMatmulPreference_t preference = nullptr;
    check(call.lt_preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t which, const auto& value) {
        check(call.lt_preference_set(preference, which, &value, sizeof(value)),
              "cublasLtMatmulPreferenceSetAttribute");
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    for (const auto which :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        set(which, std::uint32_t{alignment});
    // Partial sums never pass through a narrow C.
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        std::uint32_t{CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<std::size_t>(most));
    int count = 0;
    const cublasStatus_t status =
        call.lt_heuristic(lt_handle(from_), operation_.get(), first_.get(), second_.get(), c_.get(),
                          c_.get(), preference, most, found.data(), &count);
    call.lt_preference_destroy(preference);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "cublasLtMatmulAlgoGetHeuristic");
    std::vector<cublasLtMatmulAlgo_t> usable;
    for (int i = 0; i < count; ++i)
        if (found[static_cast<std::size_t>(i)].state == CUBLAS_STATUS_SUCCESS)
            usable.push_back(found[static_cast<std::size_t>(i)].algo);
    return usable;
}

void plan::set_bias(const void* values) const {
    check(library(from_).lt_operation_set(operation_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                          &values, sizeof(values)),
          "cublasLtMatmulDescSetAttribute");
}

cublasStatus_t plan::start(const core::operands& data, const cublasLtMatmulAlgo_t& with) const {
    return library(from_).lt_matmul(
        lt_handle(from_), operation_.get(), alpha_.data(), shape_.swapped ? data.b : data.a,
        first_.get(), shape_.swapped ? data.a : data.b, second_.get(), beta_.data(),
        data.e != nullptr ? data.e : data.c, c_.get(), data.c, c_.get(), &with, workspace(),
        workspace_bytes, carat::cuda::stream_in_use());
}

}  // namespace carat::vendor::cublas
