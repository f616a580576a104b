// Reports wrong arguments like the reference BLAS: through xerbla_, which programs replace.
#pragma once

#include <array>
#include <cstddef>

#include "abi/blas/abi/integer.hpp"

namespace carat::blas {
inline namespace CARAT_BLAS_WIDTH {

// The caller: a Fortran symbol, or a CBLAS one that was converted to a column-major call.
struct caller {
    const char* fortran_name;          // six letters or more, as xerbla_ gets them
    const char* cblas_name = nullptr;  // null for Fortran
    bool row_major = false;
};

// Positions of CBLAS arguments that are exchanged when a row-major call is converted.
struct turned {
    std::array<std::array<int, 2>, 2> pairs{};
};

// Calls xerbla_ with the name and the position of the column-major routine, also for CBLAS: the
// reference does so, and programs that replace xerbla_ rely on it. Otherwise carat's own xerbla_
// names the CBLAS routine and the position that the caller would count.
void report_wrong(const caller& from, integer position, const turned& when_row_major = {});

// Calls cblas_xerbla for CBLAS options that name nothing.
void report_wrong_option(const char* cblas_name, int position);

}  // namespace CARAT_BLAS_WIDTH
}  // namespace carat::blas

CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(xerbla_)(const char* routine,
                                                const carat::blas::integer* position,
                                                std::size_t length);
CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas_xerbla)(carat::blas::integer position,
                                                     const char* routine, const char* form, ...);
