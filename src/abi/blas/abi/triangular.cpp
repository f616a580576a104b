// trmm, B = alpha op(A) B or alpha B op(A), and trsm, the same with the inverse of op(A).
#include "abi/blas/abi/arguments.hpp"
#include "abi/blas/abi/errors.hpp"
#include "abi/blas/level3/profile.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

struct options {
    char side;
    char uplo;
    char trans;
    char diag;
};

template <class T>
struct routine {
    const char* name;
    void (*run)(T alpha, const triangle<T>& t, view<T> b) noexcept;
};
template <class T>
constexpr routine<T> trmm = {sizeof(T) == 4 ? "strmm" : "dtrmm", &multiply_triangle<T>};
template <class T>
constexpr routine<T> trsm = {sizeof(T) == 4 ? "strsm" : "dtrsm", &solve_triangle<T>};

template <class T>
void triangular(const routine<T>& what, const caller& from, const options& o, integer m, integer n,
                T alpha, const T* a, integer lda, T* b, integer ldb) {
    const integer order = o.side == 'L' ? m : n;
    const integer wrong = first_wrong({{1, o.side == 0},
                                       {2, o.uplo == 0},
                                       {3, o.trans == 0},
                                       {4, o.diag == 0},
                                       {5, m < 0},
                                       {6, n < 0},
                                       {9, too_small(lda, order)},
                                       {11, too_small(ldb, m)}});
    if (wrong != 0) return report_wrong(from, wrong, {{{{6, 7}}}});
    const double flop =
        static_cast<double>(order) * static_cast<double>(m) * static_cast<double>(n);
    const profile::scope timed({what.name, {o.side, o.uplo, o.trans, o.diag}, m, n, -1, flop});
    if (m == 0 || n == 0) return;
    const triangle<T> stored = {operand('N', a, order, order, lda), o.uplo == 'L', o.diag == 'U'};
    const triangle<T> applied = o.trans == 'N' ? stored : transposed(stored);
    const view<T> target = operand('N', b, m, n, ldb);
    if (o.side == 'L') return what.run(alpha, applied, target);
    what.run(alpha, transposed(applied), carat::transposed(target));
}

template <class T>
void triangular_in_order(const routine<T>& what, caller from, int order, int side, int uplo,
                         int trans, int diag, integer m, integer n, T alpha, const T* a,
                         integer lda, T* b, integer ldb) {
    options o = {letter_of_side(side), letter_of_uplo(uplo), letter_of_trans(trans),
                 letter_of_diag(diag)};
    const integer wrong = first_wrong({{1, order != cblas_row_major && order != cblas_col_major},
                                       {2, o.side == 0},
                                       {3, o.uplo == 0},
                                       {4, o.trans == 0},
                                       {5, o.diag == 0}});
    if (wrong != 0) return report_wrong_option(from.cblas_name, static_cast<int>(wrong));
    if (order == cblas_col_major) return triangular(what, from, o, m, n, alpha, a, lda, b, ldb);
    from.row_major = true;
    o.side = other_side(o.side);
    o.uplo = other_uplo(o.uplo);
    triangular(what, from, o, n, m, alpha, a, lda, b, ldb);
}

}  // namespace

}  // namespace carat::blas

using carat::blas::integer;
using carat::blas::option;
using carat::blas::option_of_trans;

#define CARAT_BLAS_TRIANGULAR(T, what, fortran, cblas, NAME)                                       \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(fortran)(                                               \
        const char* side, const char* uplo, const char* trans, const char* diag, const integer* m, \
        const integer* n, const T* alpha, const T* a, const integer* lda, T* b,                    \
        const integer* ldb) {                                                                      \
        carat::blas::triangular<T>(carat::blas::what<T>, {NAME},                                   \
                                   {option(side, {'L', 'R'}), option(uplo, {'L', 'U'}),            \
                                    option_of_trans(trans), option(diag, {'N', 'U'})},             \
                                   *m, *n, *alpha, a, *lda, b, *ldb);                              \
    }                                                                                              \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas)(int order, int side, int uplo, int trans,        \
                                                  int diag, integer m, integer n, T alpha,         \
                                                  const T* a, integer lda, T* b, integer ldb) {    \
        carat::blas::triangular_in_order<T>(carat::blas::what<T>, {NAME, #cblas}, order, side,     \
                                            uplo, trans, diag, m, n, alpha, a, lda, b, ldb);       \
    }

CARAT_BLAS_TRIANGULAR(float, trmm, strmm_, cblas_strmm, "STRMM ")
CARAT_BLAS_TRIANGULAR(double, trmm, dtrmm_, cblas_dtrmm, "DTRMM ")
CARAT_BLAS_TRIANGULAR(float, trsm, strsm_, cblas_strsm, "STRSM ")
CARAT_BLAS_TRIANGULAR(double, trsm, dtrsm_, cblas_dtrsm, "DTRSM ")
