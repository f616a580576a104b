// The rows that the files of this folder define.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::vendor::cublas {

extern const rows::implementation cublas_row;
extern const rows::implementation cublas_tf32_row;
extern const rows::implementation cublaslt_row;
extern const rows::implementation cublaslt_best_row;
extern const rows::implementation cublaslt_tf32_row;
extern const rows::implementation cublaslt_tf32_best_row;
extern const rows::implementation cublaslt_newest_row;
extern const rows::implementation cublaslt_newest_best_row;
extern const rows::implementation cublaslt_newest_tf32_row;
extern const rows::implementation cublaslt_newest_tf32_best_row;
extern const rows::implementation cublaslt_fp8_fast_row;
extern const rows::implementation cublaslt_fp8_fast_best_row;

}  // namespace carat::vendor::cublas
