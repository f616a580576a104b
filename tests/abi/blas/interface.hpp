// The tested routines as a C++ program sees them, and one function for each that hides how it is
// called: Fortran or CBLAS, float or double.
#pragma once

#include <type_traits>

#include "abi/blas/abi/integer.hpp"

using carat::blas::integer;

#define CARAT_TEST_BLAS(T, x)                                                                      \
    extern "C" {                                                                                   \
    void x##gemm_(const char*, const char*, const integer*, const integer*, const integer*,        \
                  const T*, const T*, const integer*, const T*, const integer*, const T*, T*,      \
                  const integer*);                                                                 \
    void x##gemmtr_(const char*, const char*, const char*, const integer*, const integer*,         \
                    const T*, const T*, const integer*, const T*, const integer*, const T*, T*,    \
                    const integer*);                                                               \
    void x##symm_(const char*, const char*, const integer*, const integer*, const T*, const T*,    \
                  const integer*, const T*, const integer*, const T*, T*, const integer*);         \
    void x##syrk_(const char*, const char*, const integer*, const integer*, const T*, const T*,    \
                  const integer*, const T*, T*, const integer*);                                   \
    void x##syr2k_(const char*, const char*, const integer*, const integer*, const T*, const T*,   \
                   const integer*, const T*, const integer*, const T*, T*, const integer*);        \
    void x##trmm_(const char*, const char*, const char*, const char*, const integer*,              \
                  const integer*, const T*, const T*, const integer*, T*, const integer*);         \
    void x##trsm_(const char*, const char*, const char*, const char*, const integer*,              \
                  const integer*, const T*, const T*, const integer*, T*, const integer*);         \
    void cblas_##x##gemm(int, int, int, integer, integer, integer, T, const T*, integer, const T*, \
                         integer, T, T*, integer);                                                 \
    void cblas_##x##gemmtr(int, int, int, int, integer, integer, T, const T*, integer, const T*,   \
                           integer, T, T*, integer);                                               \
    void cblas_##x##symm(int, int, int, integer, integer, T, const T*, integer, const T*, integer, \
                         T, T*, integer);                                                          \
    void cblas_##x##syrk(int, int, int, integer, integer, T, const T*, integer, T, T*, integer);   \
    void cblas_##x##syr2k(int, int, int, integer, integer, T, const T*, integer, const T*,         \
                          integer, T, T*, integer);                                                \
    void cblas_##x##trmm(int, int, int, int, int, integer, integer, T, const T*, integer, T*,      \
                         integer);                                                                 \
    void cblas_##x##trsm(int, int, int, int, int, integer, integer, T, const T*, integer, T*,      \
                         integer);                                                                 \
    }
CARAT_TEST_BLAS(float, s)
CARAT_TEST_BLAS(double, d)
#undef CARAT_TEST_BLAS

namespace carat::blas::tested {

enum class language { fortran, cblas_by_columns, cblas_by_rows };

inline int order_of(language in) {
    return in == language::cblas_by_rows ? 101 : 102;
}
inline int number(char option) {
    switch (option) {
        case 'N':
            return 111;
        case 'T':
            return 112;
        case 'C':
            return 113;
        case 'U':
            return 121;
        case 'L':
            return 122;
        default:
            return 0;
    }
}
inline int number_of_diag(char option) {
    return option == 'N' ? 131 : option == 'U' ? 132 : 0;
}
inline int number_of_side(char option) {
    return option == 'L' ? 141 : option == 'R' ? 142 : 0;
}

// CARAT_TEST_PICK(gemm) is sgemm or dgemm, by T.
#define CARAT_TEST_PICK(before, stem, after)      \
    [] {                                          \
        if constexpr (std::is_same_v<T, float>) { \
            return &before##s##stem##after;       \
        } else {                                  \
            return &before##d##stem##after;       \
        }                                         \
    }()

template <class T>
void gemm(language in, char ta, char tb, integer m, integer n, integer k, T alpha, const T* a,
          integer lda, const T* b, integer ldb, T beta, T* c, integer ldc) {
    if (in == language::fortran)
        return CARAT_TEST_PICK(, gemm, _)(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c,
                                          &ldc);
    CARAT_TEST_PICK(cblas_, gemm, )
    (order_of(in), number(ta), number(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T>
void gemmtr(language in, char uplo, char ta, char tb, integer n, integer k, T alpha, const T* a,
            integer lda, const T* b, integer ldb, T beta, T* c, integer ldc) {
    if (in == language::fortran)
        return CARAT_TEST_PICK(, gemmtr, _)(&uplo, &ta, &tb, &n, &k, &alpha, a, &lda, b, &ldb,
                                            &beta, c, &ldc);
    CARAT_TEST_PICK(cblas_, gemmtr, )
    (order_of(in), number(uplo), number(ta), number(tb), n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T>
void symm(language in, char side, char uplo, integer m, integer n, T alpha, const T* a, integer lda,
          const T* b, integer ldb, T beta, T* c, integer ldc) {
    if (in == language::fortran)
        return CARAT_TEST_PICK(, symm, _)(&side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c,
                                          &ldc);
    CARAT_TEST_PICK(cblas_, symm, )
    (order_of(in), number_of_side(side), number(uplo), m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T>
void syrk(language in, char uplo, char trans, integer n, integer k, T alpha, const T* a,
          integer lda, T beta, T* c, integer ldc) {
    if (in == language::fortran)
        return CARAT_TEST_PICK(, syrk, _)(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
    CARAT_TEST_PICK(cblas_, syrk, )
    (order_of(in), number(uplo), number(trans), n, k, alpha, a, lda, beta, c, ldc);
}

template <class T>
void syr2k(language in, char uplo, char trans, integer n, integer k, T alpha, const T* a,
           integer lda, const T* b, integer ldb, T beta, T* c, integer ldc) {
    if (in == language::fortran)
        return CARAT_TEST_PICK(, syr2k, _)(&uplo, &trans, &n, &k, &alpha, a, &lda, b, &ldb, &beta,
                                           c, &ldc);
    CARAT_TEST_PICK(cblas_, syr2k, )
    (order_of(in), number(uplo), number(trans), n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// trmm, or trsm where `solve`.
template <class T>
void triangular(bool solve, language in, char side, char uplo, char trans, char diag, integer m,
                integer n, T alpha, const T* a, integer lda, T* b, integer ldb) {
    if (in == language::fortran) {
        auto* const run = solve ? CARAT_TEST_PICK(, trsm, _) : CARAT_TEST_PICK(, trmm, _);
        return run(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
    }
    auto* const run = solve ? CARAT_TEST_PICK(cblas_, trsm, ) : CARAT_TEST_PICK(cblas_, trmm, );
    run(order_of(in), number_of_side(side), number(uplo), number(trans), number_of_diag(diag), m, n,
        alpha, a, lda, b, ldb);
}

}  // namespace carat::blas::tested
