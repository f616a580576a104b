/* CBLAS as libcarat_blas exports it, for C and C++: #include <carat/cblas.h>.
 *
 * Names, values and types are those of the reference BLAS. Of this and another cblas.h (MKL's and
 * GSL's, too) the first that a file includes declares, the second nothing. For libcarat_blas64
 * define CARAT_BLAS_INTEGER_BITS=64, as carat_blas64.pc and carat::blas64 do. */
#ifndef CBLAS_H /* also the guard of the reference's, OpenBLAS's and BLIS's */
#if defined(__MKL_CBLAS_H__) && \
    defined(MKL_ILP64) != (defined(CARAT_BLAS_INTEGER_BITS) && CARAT_BLAS_INTEGER_BITS == 64)
#error "mkl_cblas.h has integers of another width: CARAT_BLAS_INTEGER_BITS=64 goes with MKL_ILP64"
#elif !defined(__MKL_CBLAS_H__) && !defined(__GSL_CBLAS_H__)
#define CBLAS_H
#define __MKL_CBLAS_H__ /* NOLINT(bugprone-reserved-identifier): nothing is left of MKL's */
#define __GSL_CBLAS_H__ /* NOLINT(bugprone-reserved-identifier) */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The integer of names without a suffix. */
#if defined(CARAT_BLAS_INTEGER_BITS) && CARAT_BLAS_INTEGER_BITS == 64
#define CBLAS_INT int64_t
#else
#define CBLAS_INT int32_t
#endif
#define CBLAS_INDEX size_t

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE {
    CblasNoTrans = 111,
    CblasTrans = 112,
    CblasConjTrans = 113
} CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
#define CBLAS_ORDER CBLAS_LAYOUT /* its older name */

/* Below p is a routine's letter, Real a type of factors, Number that of elements, void where they
 * are complex, Factor a factor of that type, which is passed by address where it is complex, Int an
 * integer. Vectors have a step incx or incy, matrices a leading dimension lda, ldb or ldc. */

/* Level 1, every type. */
#define CARAT_CBLAS_VECTORS(p, Factor, Number, Real, Int)                                      \
    void cblas_##p##axpy(Int n, Factor alpha, const Number* x, Int incx, Number* y, Int incy); \
    void cblas_##p##copy(Int n, const Number* x, Int incx, Number* y, Int incy);               \
    void cblas_##p##swap(Int n, Number* x, Int incx, Number* y, Int incy);                     \
    void cblas_##p##scal(Int n, Factor alpha, Number* x, Int incx);                            \
    void cblas_##p##rotg(Number* a, Number* b, Real* c, Number* s);                            \
    CBLAS_INDEX cblas_i##p##amax(Int n, const Number* x, Int incx);

/* Level 1, of real vectors, and of complex ones. r is the letter of the real type. */
#define CARAT_CBLAS_REAL_VECTORS(p, Real, Int)                                                 \
    Real cblas_##p##dot(Int n, const Real* x, Int incx, const Real* y, Int incy);              \
    Real cblas_##p##asum(Int n, const Real* x, Int incx);                                      \
    Real cblas_##p##nrm2(Int n, const Real* x, Int incx);                                      \
    void cblas_##p##rot(Int n, Real* x, Int incx, Real* y, Int incy, Real c, Real s);          \
    void cblas_##p##rotm(Int n, Real* x, Int incx, Real* y, Int incy, const Real* parameters); \
    void cblas_##p##rotmg(Real* d1, Real* d2, Real* b1, Real b2, Real* parameters);
#define CARAT_CBLAS_COMPLEX_VECTORS(p, r, Real, Int)                                              \
    void cblas_##p##dotu_sub(Int n, const void* x, Int incx, const void* y, Int incy, void* dot); \
    void cblas_##p##dotc_sub(Int n, const void* x, Int incx, const void* y, Int incy, void* dot); \
    void cblas_##p##r##scal(Int n, Real alpha, void* x, Int incx);                                \
    void cblas_##p##r##rot(Int n, void* x, Int incx, void* y, Int incy, Real c, Real s);          \
    Real cblas_##r##p##asum(Int n, const void* x, Int incx);                                      \
    Real cblas_##r##p##nrm2(Int n, const void* x, Int incx);                                      \
    Real cblas_##r##cabs1(const void* z);

/* Level 2: products of a matrix that is general, banded (kl, ku or k diagonals), symmetric,
 * Hermitian or triangular (packed: ap), and updates of rank 1 and 2. */
#define CARAT_CBLAS_MATRIX_VECTOR(p, Factor, Number, Int)                                          \
    void cblas_##p##gemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, Int m, Int n, Factor alpha,   \
                         const Number* a, Int lda, const Number* x, Int incx, Factor beta,         \
                         Number* y, Int incy);                                                     \
    void cblas_##p##gbmv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, Int m, Int n, Int kl, Int ku, \
                         Factor alpha, const Number* a, Int lda, const Number* x, Int incx,        \
                         Factor beta, Number* y, Int incy);                                        \
    CARAT_CBLAS_TRIANGULAR_VECTOR(p##trmv, p##tbmv, p##tpmv, Number, Int)                          \
    CARAT_CBLAS_TRIANGULAR_VECTOR(p##trsv, p##tbsv, p##tpsv, Number, Int)
#define CARAT_CBLAS_TRIANGULAR_VECTOR(full, banded, packed, Number, Int)                      \
    void cblas_##full(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,            \
                      CBLAS_DIAG diag, Int n, const Number* a, Int lda, Number* x, Int incx); \
    void cblas_##banded(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,          \
                        CBLAS_DIAG diag, Int n, Int k, const Number* a, Int lda, Number* x,   \
                        Int incx);                                                            \
    void cblas_##packed(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans,          \
                        CBLAS_DIAG diag, Int n, const Number* ap, Number* x, Int incx);
#define CARAT_CBLAS_SYMMETRIC_VECTOR(full, banded, packed, Factor, Number, Int)                   \
    void cblas_##full(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Factor alpha, const Number* a, \
                      Int lda, const Number* x, Int incx, Factor beta, Number* y, Int incy);      \
    void cblas_##banded(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Int k, Factor alpha,         \
                        const Number* a, Int lda, const Number* x, Int incx, Factor beta,         \
                        Number* y, Int incy);                                                     \
    void cblas_##packed(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Factor alpha,                \
                        const Number* ap, const Number* x, Int incx, Factor beta, Number* y,      \
                        Int incy);
#define CARAT_CBLAS_GENERAL_UPDATE(name, Factor, Number, Int)                                     \
    void cblas_##name(CBLAS_LAYOUT layout, Int m, Int n, Factor alpha, const Number* x, Int incx, \
                      const Number* y, Int incy, Number* a, Int lda);
#define CARAT_CBLAS_SYMMETRIC_UPDATE(full, packed, Factor, Real, Number, Int)                     \
    void cblas_##full(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Real alpha, const Number* x,   \
                      Int incx, Number* a, Int lda);                                              \
    void cblas_##packed(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Real alpha, const Number* x, \
                        Int incx, Number* ap);                                                    \
    void cblas_##full##2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Factor alpha,               \
                         const Number* x, Int incx, const Number* y, Int incy, Number* a,         \
                         Int lda);                                                                \
    void cblas_##packed##2(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, Int n, Factor alpha,             \
                           const Number* x, Int incx, const Number* y, Int incy, Number* ap);

/* Level 3. gemmtr computes one triangle of C; gemmt is its older name. */
#define CARAT_CBLAS_MATRICES(p, Factor, Number, Int, suffix)                                      \
    void cblas_##p##gemm##suffix(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans_a,                    \
                                 CBLAS_TRANSPOSE trans_b, Int m, Int n, Int k, Factor alpha,      \
                                 const Number* a, Int lda, const Number* b, Int ldb, Factor beta, \
                                 Number* c, Int ldc);                                             \
    CARAT_CBLAS_INTO_TRIANGLE(p##gemmtr##suffix, Factor, Number, Int)                             \
    CARAT_CBLAS_INTO_TRIANGLE(p##gemmt##suffix, Factor, Number, Int)                              \
    CARAT_CBLAS_SYMMETRIC(p##symm##suffix, Factor, Number, Int)                                   \
    CARAT_CBLAS_RANK_K(p##syrk##suffix, Factor, Number, Int)                                      \
    CARAT_CBLAS_RANK_2K(p##syr2k##suffix, Factor, Factor, Number, Int)                            \
    CARAT_CBLAS_TRIANGULAR(p##trmm##suffix, Factor, Number, Int)                                  \
    CARAT_CBLAS_TRIANGULAR(p##trsm##suffix, Factor, Number, Int)
#define CARAT_CBLAS_INTO_TRIANGLE(name, Factor, Number, Int)                                \
    void cblas_##name(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans_a,        \
                      CBLAS_TRANSPOSE trans_b, Int n, Int k, Factor alpha, const Number* a, \
                      Int lda, const Number* b, Int ldb, Factor beta, Number* c, Int ldc);
#define CARAT_CBLAS_SYMMETRIC(name, Factor, Number, Int)                                   \
    void cblas_##name(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, Int m, Int n, \
                      Factor alpha, const Number* a, Int lda, const Number* b, Int ldb,    \
                      Factor beta, Number* c, Int ldc);
#define CARAT_CBLAS_RANK_K(name, Factor, Number, Int)                                            \
    void cblas_##name(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, Int n, Int k, \
                      Factor alpha, const Number* a, Int lda, Factor beta, Number* c, Int ldc);
#define CARAT_CBLAS_RANK_2K(name, Factor, Beta, Number, Int)                                       \
    void cblas_##name(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, Int n, Int k,   \
                      Factor alpha, const Number* a, Int lda, const Number* b, Int ldb, Beta beta, \
                      Number* c, Int ldc);
#define CARAT_CBLAS_TRIANGULAR(name, Factor, Number, Int)                                 \
    void cblas_##name(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,              \
                      CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, Int m, Int n, Factor alpha, \
                      const Number* a, Int lda, Number* b, Int ldb);

#define CARAT_CBLAS_REAL(p, Real, Int)                                       \
    CARAT_CBLAS_VECTORS(p, Real, Real, Real, Int)                            \
    CARAT_CBLAS_REAL_VECTORS(p, Real, Int)                                   \
    CARAT_CBLAS_MATRIX_VECTOR(p, Real, Real, Int)                            \
    CARAT_CBLAS_SYMMETRIC_VECTOR(p##symv, p##sbmv, p##spmv, Real, Real, Int) \
    CARAT_CBLAS_GENERAL_UPDATE(p##ger, Real, Real, Int)                      \
    CARAT_CBLAS_SYMMETRIC_UPDATE(p##syr, p##spr, Real, Real, Real, Int)      \
    CARAT_CBLAS_MATRICES(p, Real, Real, Int, )                               \
    CARAT_CBLAS_MATRICES(p, Real, Real, int64_t, 64_) /* as NumPy's wheels have it */
#define CARAT_CBLAS_COMPLEX(p, r, Real, Int)                                        \
    CARAT_CBLAS_VECTORS(p, const void*, void, Real, Int)                            \
    CARAT_CBLAS_COMPLEX_VECTORS(p, r, Real, Int)                                    \
    CARAT_CBLAS_MATRIX_VECTOR(p, const void*, void, Int)                            \
    CARAT_CBLAS_SYMMETRIC_VECTOR(p##hemv, p##hbmv, p##hpmv, const void*, void, Int) \
    CARAT_CBLAS_GENERAL_UPDATE(p##geru, const void*, void, Int)                     \
    CARAT_CBLAS_GENERAL_UPDATE(p##gerc, const void*, void, Int)                     \
    CARAT_CBLAS_SYMMETRIC_UPDATE(p##her, p##hpr, const void*, Real, void, Int)      \
    CARAT_CBLAS_MATRICES(p, const void*, void, Int, )                               \
    CARAT_CBLAS_SYMMETRIC(p##hemm, const void*, void, Int)                          \
    CARAT_CBLAS_RANK_K(p##herk, Real, void, Int)                                    \
    CARAT_CBLAS_RANK_2K(p##her2k, const void*, Real, void, Int)

CARAT_CBLAS_REAL(s, float, CBLAS_INT)
CARAT_CBLAS_REAL(d, double, CBLAS_INT)
CARAT_CBLAS_COMPLEX(c, s, float, CBLAS_INT)
CARAT_CBLAS_COMPLEX(z, d, double, CBLAS_INT)

/* Sums in double. */
double cblas_dsdot(CBLAS_INT n, const float* x, CBLAS_INT incx, const float* y, CBLAS_INT incy);
float cblas_sdsdot(CBLAS_INT n, float alpha, const float* x, CBLAS_INT incx, const float* y,
                   CBLAS_INT incy);

/* What a wrong argument calls; a program may have its own. */
void cblas_xerbla(CBLAS_INT position, const char* routine, const char* form, ...);

/* "carat 0.1.0, 32-bit integers" */
const char* carat_blas_config(void);

#undef CARAT_CBLAS_COMPLEX
#undef CARAT_CBLAS_COMPLEX_VECTORS
#undef CARAT_CBLAS_GENERAL_UPDATE
#undef CARAT_CBLAS_INTO_TRIANGLE
#undef CARAT_CBLAS_MATRICES
#undef CARAT_CBLAS_MATRIX_VECTOR
#undef CARAT_CBLAS_RANK_2K
#undef CARAT_CBLAS_RANK_K
#undef CARAT_CBLAS_REAL
#undef CARAT_CBLAS_REAL_VECTORS
#undef CARAT_CBLAS_SYMMETRIC
#undef CARAT_CBLAS_SYMMETRIC_UPDATE
#undef CARAT_CBLAS_SYMMETRIC_VECTOR
#undef CARAT_CBLAS_TRIANGULAR
#undef CARAT_CBLAS_TRIANGULAR_VECTOR
#undef CARAT_CBLAS_VECTORS

#ifdef __cplusplus
}
#endif

#endif
#endif
