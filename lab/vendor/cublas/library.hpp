// The two libraries, opened at run time from wherever they are: the loader's path, CUDA toolkits,
// the packages that Python's installer puts under site-packages/nvidia, and CARAT_PEER_PATH. And
// cuBLASLt once more, from the newest package, beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <string>

#include "lab/rows/implementation.hpp"

namespace carat::vendor::cublas {

// cublasGemmGroupedBatchedEx_64, which older headers don't declare.
using grouped_function = cublasStatus_t(cublasHandle_t, const cublasOperation_t*,
                                        const cublasOperation_t*, const std::int64_t*,
                                        const std::int64_t*, const std::int64_t*, const void*,
                                        const void* const*, cudaDataType_t, const std::int64_t*,
                                        const void* const*, cudaDataType_t, const std::int64_t*,
                                        const void*, void* const*, cudaDataType_t,
                                        const std::int64_t*, std::int64_t, const std::int64_t*,
                                        cublasComputeType_t);

// What carat calls of them.
struct functions {
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasSetStream_v2) set_stream = nullptr;
    decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
    decltype(&cublasSetMathMode) set_math_mode = nullptr;
    decltype(&cublasGemmEx_64) gemm = nullptr;
    decltype(&cublasGemmStridedBatchedEx_64) gemm_batch = nullptr;
    decltype(&cublasGemmBatchedEx_64) gemm_anywhere = nullptr;
    grouped_function* gemm_grouped = nullptr;  // null: the library is older than 12.5
    decltype(&cublasGetStatusString) status_text = nullptr;

    decltype(&cublasLtCreate) lt_create = nullptr;
    decltype(&cublasLtGetVersion) lt_version = nullptr;
    decltype(&cublasLtMatmul) lt_matmul = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) lt_heuristic = nullptr;
    decltype(&cublasLtMatmulDescCreate) lt_operation_create = nullptr;
    decltype(&cublasLtMatmulDescDestroy) lt_operation_destroy = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) lt_operation_set = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) lt_layout_create = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) lt_layout_destroy = nullptr;
    decltype(&cublasLtMatrixLayoutSetAttribute) lt_layout_set = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) lt_preference_create = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) lt_preference_destroy = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) lt_preference_set = nullptr;
};

// The system's library, or that of the package which ./dev peers fetches. The latter is renamed
// libcublasLt.newest.so, so that neither is taken for the other.
enum class origin : std::uint8_t { system, newest };

inline constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

/// Why it can't be used here, in one line; empty when it can.
[[nodiscard]] std::string unavailable();
[[nodiscard]] std::string unavailable_newest();

/// Only when available. The newest has the functions of cuBLASLt alone.
[[nodiscard]] const functions& library(origin from = origin::system);
[[nodiscard]] rows::library_facts cublas_facts();
[[nodiscard]] rows::library_facts cublaslt_facts();
[[nodiscard]] rows::library_facts newest_facts();

/// Handles on the GPU in use, made by the first who asks and kept; the workspace likewise. cuBLAS's
/// works on stream_in_use().
[[nodiscard]] cublasHandle_t handle();
[[nodiscard]] cublasLtHandle_t lt_handle(origin from = origin::system);
[[nodiscard]] void* workspace();

/// @throws carat::error(unsupported) naming the call and the library's reason.
void check(cublasStatus_t status, const char* call);

}  // namespace carat::vendor::cublas
