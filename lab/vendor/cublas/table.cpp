#include "lab/vendor/cublas/table.hpp"

#include "lab/vendor/cublas/rows.hpp"

namespace carat::vendor::cublas {

rows::table table() {
    static constexpr const rows::implementation* rows[] = {&cublas_row,
                                                           &cublas_tf32_row,
                                                           &cublaslt_row,
                                                           &cublaslt_best_row,
                                                           &cublaslt_tf32_row,
                                                           &cublaslt_tf32_best_row,
                                                           &cublaslt_newest_row,
                                                           &cublaslt_newest_best_row,
                                                           &cublaslt_newest_tf32_row,
                                                           &cublaslt_newest_tf32_best_row,
                                                           &cublaslt_fp8_fast_row,
                                                           &cublaslt_fp8_fast_best_row};
    return rows;
}

}  // namespace carat::vendor::cublas
