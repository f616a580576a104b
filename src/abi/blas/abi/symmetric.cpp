// symm, C = alpha A B + beta C or alpha B A + beta C with a symmetric A; syrk and syr2k, the
// triangle of C = alpha A A^T + beta C and of C = alpha (A B^T + B A^T) + beta C, or with A^T A.
#include "abi/blas/abi/arguments.hpp"
#include "abi/blas/abi/errors.hpp"
#include "abi/blas/level3/profile.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

template <class T>
void symm(const caller& from, char side, char uplo, integer m, integer n, const factors<T>& f,
          const matrices<T>& x) {
    const integer order = side == 'L' ? m : n;
    const integer wrong = first_wrong({{1, side == 0},
                                       {2, uplo == 0},
                                       {3, m < 0},
                                       {4, n < 0},
                                       {7, too_small(x.lda, order)},
                                       {9, too_small(x.ldb, m)},
                                       {12, too_small(x.ldc, m)}});
    if (wrong != 0) return report_wrong(from, wrong, {{{{4, 5}}}});
    const double flop =
        2.0 * static_cast<double>(order) * static_cast<double>(m) * static_cast<double>(n);
    const profile::scope timed({sizeof(T) == 4 ? "ssymm" : "dsymm", {side, uplo}, m, n, -1, flop});
    if (m == 0 || n == 0 || (f.alpha == 0 && f.beta == 1)) return;
    const triangle<T> a = {operand('N', x.a, order, order, x.lda), uplo == 'L'};
    const view<const T> b = operand('N', x.b, m, n, x.ldb);
    const view<T> c = operand('N', x.c, m, n, x.ldc);
    if (side == 'L') return multiply_symmetric<T>(f.alpha, a, b, f.beta, c);
    multiply_symmetric<T>(f.alpha, a, carat::transposed(b), f.beta, carat::transposed(c));
}

template <class T>
void syrk(const caller& from, char uplo, char trans, integer n, integer k, const factors<T>& f,
          const matrices<T>& x) {
    const integer wrong = first_wrong({{1, uplo == 0},
                                       {2, trans == 0},
                                       {3, n < 0},
                                       {4, k < 0},
                                       {7, too_small(x.lda, trans == 'N' ? n : k)},
                                       {10, too_small(x.ldc, n)}});
    if (wrong != 0) return report_wrong(from, wrong);
    const auto order = static_cast<double>(n);
    const profile::scope timed({sizeof(T) == 4 ? "ssyrk" : "dsyrk",
                                {uplo, trans},
                                n,
                                n,
                                k,
                                order * (order + 1) * static_cast<double>(k)});
    if (n == 0 || ((f.alpha == 0 || k == 0) && f.beta == 1)) return;
    const view<const T> a = operand(trans, x.a, n, k, x.lda);
    multiply_into_triangle<T>(uplo == 'L', f.alpha, a, carat::transposed(a), f.beta,
                              operand('N', x.c, n, n, x.ldc));
}

template <class T>
void syr2k(const caller& from, char uplo, char trans, integer n, integer k, const factors<T>& f,
           const matrices<T>& x) {
    const integer rows = trans == 'N' ? n : k;
    const integer wrong = first_wrong({{1, uplo == 0},
                                       {2, trans == 0},
                                       {3, n < 0},
                                       {4, k < 0},
                                       {7, too_small(x.lda, rows)},
                                       {9, too_small(x.ldb, rows)},
                                       {12, too_small(x.ldc, n)}});
    if (wrong != 0) return report_wrong(from, wrong);
    const auto order = static_cast<double>(n);
    const profile::scope timed({sizeof(T) == 4 ? "ssyr2k" : "dsyr2k",
                                {uplo, trans},
                                n,
                                n,
                                k,
                                2 * order * (order + 1) * static_cast<double>(k)});
    if (n == 0 || ((f.alpha == 0 || k == 0) && f.beta == 1)) return;
    rank_2k_into_triangle<T>(uplo == 'L', f.alpha, operand(trans, x.a, n, k, x.lda),
                             operand(trans, x.b, n, k, x.ldb), f.beta,
                             operand('N', x.c, n, n, x.ldc));
}

template <class T>
void symm_in_order(caller from, int order, int side, int uplo, integer m, integer n,
                   const factors<T>& f, const matrices<T>& x) {
    const char where = letter_of_side(side);
    const char of_a = letter_of_uplo(uplo);
    const integer wrong = first_wrong({{1, order != cblas_row_major && order != cblas_col_major},
                                       {2, where == 0},
                                       {3, of_a == 0}});
    if (wrong != 0) return report_wrong_option(from.cblas_name, static_cast<int>(wrong));
    if (order == cblas_col_major) return symm(from, where, of_a, m, n, f, x);
    from.row_major = true;
    symm<T>(from, other_side(where), other_uplo(of_a), n, m, f, x);
}

template <class T>
using rank_update = void (*)(const caller&, char, char, integer, integer, const factors<T>&,
                             const matrices<T>&);

template <class T>
void rank_update_in_order(rank_update<T> run, caller from, int order, int uplo, int trans,
                          integer n, integer k, const factors<T>& f, const matrices<T>& x) {
    const char of_c = letter_of_uplo(uplo);
    const char of_a = letter_of_trans(trans);
    const integer wrong = first_wrong({{1, order != cblas_row_major && order != cblas_col_major},
                                       {2, of_c == 0},
                                       {3, of_a == 0}});
    if (wrong != 0) return report_wrong_option(from.cblas_name, static_cast<int>(wrong));
    if (order == cblas_col_major) return run(from, of_c, of_a, n, k, f, x);
    from.row_major = true;
    run(from, other_uplo(of_c), other_trans(of_a), n, k, f, x);
}

}  // namespace

}  // namespace carat::blas

using carat::blas::integer;
using carat::blas::option;
using carat::blas::option_of_trans;

#define CARAT_BLAS_SYMM(T, fortran, cblas, NAME)                                                 \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(fortran)(                                             \
        const char* side, const char* uplo, const integer* m, const integer* n, const T* alpha,  \
        const T* a, const integer* lda, const T* b, const integer* ldb, const T* beta, T* c,     \
        const integer* ldc) {                                                                    \
        carat::blas::symm<T>({NAME}, option(side, {'L', 'R'}), option(uplo, {'L', 'U'}), *m, *n, \
                             {*alpha, *beta}, {a, *lda, b, *ldb, c, *ldc});                      \
    }                                                                                            \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas)(                                               \
        int order, int side, int uplo, integer m, integer n, T alpha, const T* a, integer lda,   \
        const T* b, integer ldb, T beta, T* c, integer ldc) {                                    \
        carat::blas::symm_in_order<T>({NAME, #cblas}, order, side, uplo, m, n, {alpha, beta},    \
                                      {a, lda, b, ldb, c, ldc});                                 \
    }

#define CARAT_BLAS_SYRK(T, fortran, cblas, NAME)                                                 \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(fortran)(                                             \
        const char* uplo, const char* trans, const integer* n, const integer* k, const T* alpha, \
        const T* a, const integer* lda, const T* beta, T* c, const integer* ldc) {               \
        carat::blas::syrk<T>({NAME}, option(uplo, {'L', 'U'}), option_of_trans(trans), *n, *k,   \
                             {*alpha, *beta}, {a, *lda, nullptr, 1, c, *ldc});                   \
    }                                                                                            \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas)(int order, int uplo, int trans, integer n,     \
                                                  integer k, T alpha, const T* a, integer lda,   \
                                                  T beta, T* c, integer ldc) {                   \
        carat::blas::rank_update_in_order<T>(&carat::blas::syrk<T>, {NAME, #cblas}, order, uplo, \
                                             trans, n, k, {alpha, beta},                         \
                                             {a, lda, nullptr, 1, c, ldc});                      \
    }

#define CARAT_BLAS_SYR2K(T, fortran, cblas, NAME)                                                 \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(fortran)(                                              \
        const char* uplo, const char* trans, const integer* n, const integer* k, const T* alpha,  \
        const T* a, const integer* lda, const T* b, const integer* ldb, const T* beta, T* c,      \
        const integer* ldc) {                                                                     \
        carat::blas::syr2k<T>({NAME}, option(uplo, {'L', 'U'}), option_of_trans(trans), *n, *k,   \
                              {*alpha, *beta}, {a, *lda, b, *ldb, c, *ldc});                      \
    }                                                                                             \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas)(                                                \
        int order, int uplo, int trans, integer n, integer k, T alpha, const T* a, integer lda,   \
        const T* b, integer ldb, T beta, T* c, integer ldc) {                                     \
        carat::blas::rank_update_in_order<T>(&carat::blas::syr2k<T>, {NAME, #cblas}, order, uplo, \
                                             trans, n, k, {alpha, beta},                          \
                                             {a, lda, b, ldb, c, ldc});                           \
    }

CARAT_BLAS_SYMM(float, ssymm_, cblas_ssymm, "SSYMM ")
CARAT_BLAS_SYMM(double, dsymm_, cblas_dsymm, "DSYMM ")
CARAT_BLAS_SYRK(float, ssyrk_, cblas_ssyrk, "SSYRK ")
CARAT_BLAS_SYRK(double, dsyrk_, cblas_dsyrk, "DSYRK ")
CARAT_BLAS_SYR2K(float, ssyr2k_, cblas_ssyr2k, "SSYR2K")
CARAT_BLAS_SYR2K(double, dsyr2k_, cblas_dsyr2k, "DSYR2K")
