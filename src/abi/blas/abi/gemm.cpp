// C = alpha op(A) op(B) + beta C: sgemm and dgemm.
#include "abi/blas/abi/arguments.hpp"
#include "abi/blas/abi/errors.hpp"
#include "abi/blas/level3/factors.hpp"
#include "abi/blas/level3/profile.hpp"

namespace carat::blas {

namespace {

template <class T>
void gemm(const caller& from, char trans_a, char trans_b, const sizes& s, const factors<T>& f,
          const matrices<T>& x) {
    const integer wrong = first_wrong({{1, trans_a == 0},
                                       {2, trans_b == 0},
                                       {3, s.m < 0},
                                       {4, s.n < 0},
                                       {5, s.k < 0},
                                       {8, too_small(x.lda, trans_a == 'N' ? s.m : s.k)},
                                       {10, too_small(x.ldb, trans_b == 'N' ? s.k : s.n)},
                                       {13, too_small(x.ldc, s.m)}});
    if (wrong != 0) return report_wrong(from, wrong, {{{{4, 5}, {9, 11}}}});
    const double flop =
        2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    const profile::scope timed(
        {sizeof(T) == 4 ? "sgemm" : "dgemm", {trans_a, trans_b}, s.m, s.n, s.k, flop});
    if (s.m == 0 || s.n == 0 || ((f.alpha == 0 || s.k == 0) && f.beta == 1)) return;
    const view<const T> b = operand(trans_b, x.b, s.k, s.n, x.ldb);
    const view<T> c = operand('N', x.c, s.m, s.n, x.ldc);
    with_safe_factor<T>(
        f.alpha, operand(trans_a, x.a, s.m, s.k, x.lda), b, static_cast<std::size_t>(s.k),
        [&](T alpha, const view<const T>& a) { multiply<T>(alpha, a, b, f.beta, c); });
}

// A row-major C is the transpose of a column-major one: C^T = op(B)^T op(A)^T.
template <class T>
void gemm_in_order(caller from, int order, int trans_a, int trans_b, const sizes& s,
                   const factors<T>& f, const matrices<T>& x) {
    const char of_a = letter_of_trans(trans_a);
    const char of_b = letter_of_trans(trans_b);
    const integer wrong = first_wrong({{1, order != cblas_row_major && order != cblas_col_major},
                                       {2, of_a == 0},
                                       {3, of_b == 0}});
    if (wrong != 0) return report_wrong_option(from.cblas_name, static_cast<int>(wrong));
    if (order == cblas_col_major) return gemm(from, of_a, of_b, s, f, x);
    from.row_major = true;
    gemm<T>(from, of_b, of_a, {s.n, s.m, s.k}, f, {x.b, x.ldb, x.a, x.lda, x.c, x.ldc});
}

}  // namespace

}  // namespace carat::blas

using carat::blas::integer;
using carat::blas::option;
using carat::blas::option_of_trans;

#define CARAT_BLAS_GEMM(T, fortran, cblas, NAME)                                                   \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(fortran)(                                               \
        const char* trans_a, const char* trans_b, const integer* m, const integer* n,              \
        const integer* k, const T* alpha, const T* a, const integer* lda, const T* b,              \
        const integer* ldb, const T* beta, T* c, const integer* ldc) {                             \
        carat::blas::gemm<T>({NAME}, option_of_trans(trans_a), option_of_trans(trans_b),           \
                             {*m, *n, *k}, {*alpha, *beta}, {a, *lda, b, *ldb, c, *ldc});          \
    }                                                                                              \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas)(                                                 \
        int order, int trans_a, int trans_b, integer m, integer n, integer k, T alpha, const T* a, \
        integer lda, const T* b, integer ldb, T beta, T* c, integer ldc) {                         \
        carat::blas::gemm_in_order<T>({NAME, #cblas}, order, trans_a, trans_b, {m, n, k},          \
                                      {alpha, beta}, {a, lda, b, ldb, c, ldc});                    \
    }

CARAT_BLAS_GEMM(float, sgemm_, cblas_sgemm, "SGEMM ")
CARAT_BLAS_GEMM(double, dgemm_, cblas_dgemm, "DGEMM ")
