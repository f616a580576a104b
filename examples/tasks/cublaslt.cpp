// Tasks with cuBLASLt; see docs/choose.md. Its matrices are by columns, so C' = B' A' is asked for.
#include <cstdint>
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "operands.hpp"

template <class T>
T* on_gpu(const std::vector<T>& values) {
    T* memory = nullptr;
    cudaMalloc(&memory, values.size() * sizeof(T));
    cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

template <class T>
void print_gpu(const char* task, const T* values, std::size_t count = m * n) {
    std::vector<T> here(count);
    cudaMemcpy(here.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost);
    print(task, here.data(), count);
}

// task set-up
cublasLtHandle_t handle = nullptr;
cudaStream_t stream = nullptr;

cublasLtMatrixLayout_t by_columns(cudaDataType_t type, std::size_t rows, std::size_t cols) {
    cublasLtMatrixLayout_t made = nullptr;
    cublasLtMatrixLayoutCreate(&made, type, rows, cols, static_cast<std::int64_t>(rows));
    return made;
}

void set(cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t what, const auto& value) {
    cublasLtMatmulDescSetAttribute(of, what, &value, sizeof value);
}

void set(cublasLtMatrixLayout_t of, cublasLtMatrixLayoutAttribute_t what, const auto& value) {
    cublasLtMatrixLayoutSetAttribute(of, what, &value, sizeof value);
}
// end

const float zero = 0, one = 1, two = 2;

void bytes() {
    const std::int8_t *a = on_gpu(numbers<std::int8_t>(m, k, 1)),
                      *b = on_gpu(numbers<std::int8_t>(k, n, 2));
    std::int32_t* c = on_gpu(std::vector<std::int32_t>(m * n));
    const std::int32_t none = 0, single = 1;
    // task bytes
    cublasLtMatmulDesc_t how = nullptr;
    cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32I, CUDA_R_32I);
    const auto of_a = by_columns(CUDA_R_8I, k, m), of_b = by_columns(CUDA_R_8I, n, k);
    const auto of_c = by_columns(CUDA_R_32I, n, m);
    cublasLtMatmul(handle, how, &single, b, of_b, a, of_a, &none, c, of_c, c, of_c, nullptr,
                   nullptr, 0, stream);
    // end
    print_gpu("bytes", c);
}

void half_words() {
    const auto cut = [](const std::vector<float>& from) {
        std::vector<__nv_bfloat16> made;
        for (const float x : from) made.push_back(__float2bfloat16(x));
        return made;
    };
    const __nv_bfloat16* a = on_gpu(cut(numbers<float>(m, k, 1)));
    const __nv_bfloat16* b = on_gpu(cut(numbers<float>(k, n, 2)));
    float* c = on_gpu(std::vector<float>(m * n));
    // task bf16
    cublasLtMatmulDesc_t how = nullptr;
    cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const auto of_a = by_columns(CUDA_R_16BF, k, m), of_b = by_columns(CUDA_R_16BF, n, k);
    const auto of_c = by_columns(CUDA_R_32F, n, m);
    cublasLtMatmul(handle, how, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, nullptr, nullptr,
                   0, stream);
    // end
    print_gpu("bf16", c);
}

void batch() {
    const float *a = on_gpu(numbers<float>(m, k, 1, products)),
                *b = on_gpu(numbers<float>(k, n, 2, products));
    float* c = on_gpu(std::vector<float>(products * m * n));
    // task batch
    cublasLtMatmulDesc_t how = nullptr;
    cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const auto of_a = by_columns(CUDA_R_32F, k, m), of_b = by_columns(CUDA_R_32F, n, k);
    const auto of_c = by_columns(CUDA_R_32F, n, m);
    for (const auto of : {of_a, of_b, of_c})
        set(of, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(products));
    set(of_a, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<std::int64_t>(m * k));
    set(of_b, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<std::int64_t>(k * n));
    set(of_c, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<std::int64_t>(m * n));
    cublasLtMatmul(handle, how, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, nullptr, nullptr,
                   0, stream);
    // end
    print_gpu("batch", c, products * m * n);
}

int main() {
    if (cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 77;
    const float *a = on_gpu(numbers<float>(m, k, 1)), *b = on_gpu(numbers<float>(k, n, 2));
    const float *bt = on_gpu(numbers<float>(n, k, 3)), *e = on_gpu(numbers<float>(m, n, 4));
    const float* v = on_gpu(numbers<float>(1, n, 5));
    float* c = on_gpu(std::vector<float>(m * n));
    {
        // task product
        cublasLtMatmulDesc_t how = nullptr;
        cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        const auto of_a = by_columns(CUDA_R_32F, k, m), of_b = by_columns(CUDA_R_32F, n, k);
        const auto of_c = by_columns(CUDA_R_32F, n, m);
        cublasLtMatmul(handle, how, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, nullptr,
                       nullptr, 0, stream);
        // end
        print_gpu("product", c);
    }
    {
        // task scaled
        cublasLtMatmulDesc_t how = nullptr;
        cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        set(how, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
        const auto of_a = by_columns(CUDA_R_32F, k, m), of_bt = by_columns(CUDA_R_32F, k, n);
        const auto of_c = by_columns(CUDA_R_32F, n, m);
        cublasLtMatmul(handle, how, &two, bt, of_bt, a, of_a, &one, e, of_c, c, of_c, nullptr,
                       nullptr, 0, stream);
        // end
        print_gpu("scaled", c);
    }
    {
        // task layer
        cublasLtMatmulDesc_t how = nullptr;
        cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        set(how, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS);
        set(how, CUBLASLT_MATMUL_DESC_BIAS_POINTER, v);
        const auto of_a = by_columns(CUDA_R_32F, k, m), of_b = by_columns(CUDA_R_32F, n, k);
        const auto of_c = by_columns(CUDA_R_32F, n, m);
        cublasLtMatmul(handle, how, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, nullptr,
                       nullptr, 0, stream);
        // end
        print_gpu("layer", c);
    }
    half_words();
    bytes();
    batch();
}
