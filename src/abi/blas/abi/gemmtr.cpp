// One triangle of C = alpha op(A) op(B) + beta C: gemmtr, called gemmt before the reference BLAS
// adopted it. The real routines are carat's. Many a BLAS lacks the complex ones, so these use the
// fallback's gemm for the blocks.
#include <complex>
#include <cstring>
#include <type_traits>

#include "abi/blas/abi/arguments.hpp"
#include "abi/blas/abi/errors.hpp"
#include "abi/blas/abi/fallback.hpp"
#include "abi/blas/level3/halves.hpp"
#include "abi/blas/level3/profile.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;

struct options {
    char uplo;
    char trans_a;
    char trans_b;
};

template <class T>
void into_triangle(const options& o, const sizes& s, const factors<T>& f, const matrices<T>& x) {
    multiply_into_triangle<T>(o.uplo == 'L', f.alpha, operand(o.trans_a, x.a, s.n, s.k, x.lda),
                              operand(o.trans_b, x.b, s.k, s.n, x.ldb), f.beta,
                              operand('N', x.c, s.n, s.n, x.ldc));
}

template <class T>
using fortran_gemm = void (*)(const char*, const char*, const integer*, const integer*,
                              const integer*, const T*, const T*, const integer*, const T*,
                              const integer*, const T*, T*, const integer*, std::size_t,
                              std::size_t);

template <class T>
struct complex_triangle {
    using number = std::complex<T>;
    static constexpr integer block_order = 32;

    const options& o;
    integer k;
    const factors<number>& f;
    const matrices<number>& x;
    fortran_gemm<number> gemm;

    // Computes C's block of that position and size into `c`.
    void product(integer i, integer j, integer rows, integer cols, number* c, integer ldc) const {
        const auto row = static_cast<std::ptrdiff_t>(i);
        const auto col = static_cast<std::ptrdiff_t>(j);
        gemm(&o.trans_a, &o.trans_b, &rows, &cols, &k, &f.alpha,
             x.a + row * (o.trans_a == 'N' ? 1 : x.lda), &x.lda,
             x.b + col * (o.trans_b == 'N' ? x.ldb : 1), &x.ldb, &f.beta, c, &ldc, 1, 1);
    }
    [[nodiscard]] number* at(integer i, integer j) const {
        return x.c + i + static_cast<std::ptrdiff_t>(j) * x.ldc;
    }

    // A diagonal block is computed whole, in a copy.
    void on_diagonal(integer i, integer order) const {
        number whole[block_order * block_order] = {};
        const auto each_column = [&](const auto& copy) {
            for (integer j = 0; j < order; ++j) {
                const integer first = o.uplo == 'L' ? j : 0;
                const integer last = o.uplo == 'L' ? order : j + 1;
                copy(at(i + first, i + j), &whole[j * block_order + first],
                     static_cast<std::size_t>(last - first) * sizeof(number));
            }
        };
        each_column([](number* of_c, number* copied, std::size_t bytes) {
            std::memcpy(copied, of_c, bytes);
        });
        product(i, i, order, order, whole, block_order);
        each_column([](number* of_c, number* copied, std::size_t bytes) {
            std::memcpy(of_c, copied, bytes);
        });
    }

    void compute(integer i, integer order) const {
        if (order <= block_order) return on_diagonal(i, order);
        const auto half = static_cast<integer>(
            half_of(static_cast<std::size_t>(order), static_cast<std::size_t>(block_order)));
        compute(i, half);
        if (o.uplo == 'L')
            product(i + half, i, order - half, half, at(i + half, i), x.ldc);
        else
            product(i, i + half, half, order - half, at(i, i + half), x.ldc);
        compute(i + half, order - half);
    }
};

template <class T>
void into_triangle(const options& o, const sizes& s, const factors<std::complex<T>>& f,
                   const matrices<std::complex<T>>& x) {
    const char* const name = sizeof(T) == 4 ? "cgemm_" : "zgemm_";
    void* const gemm = fallback_function(name);
    const complex_triangle<T> triangle{o, s.k, f, x,
                                       reinterpret_cast<fortran_gemm<std::complex<T>>>(gemm)};
    triangle.compute(0, s.n);
}

template <class T>
constexpr const char* name_in_profile() {
    if (is_complex<T>) return sizeof(T) == 8 ? "cgemmtr" : "zgemmtr";
    return sizeof(T) == 4 ? "sgemmtr" : "dgemmtr";
}

template <class T>
void gemmtr(const caller& from, const options& o, const sizes& s, const factors<T>& f,
            const matrices<T>& x) {
    const integer wrong = first_wrong({{1, o.uplo == 0},
                                       {2, o.trans_a == 0},
                                       {3, o.trans_b == 0},
                                       {4, s.n < 0},
                                       {5, s.k < 0},
                                       {8, too_small(x.lda, o.trans_a == 'N' ? s.n : s.k)},
                                       {10, too_small(x.ldb, o.trans_b == 'N' ? s.k : s.n)},
                                       {13, too_small(x.ldc, s.n)}});
    if (wrong != 0) return report_wrong(from, wrong, {{{{9, 11}}}});
    const auto n = static_cast<double>(s.n);
    const double flop = (is_complex<T> ? 4 : 1) * n * (n + 1) * static_cast<double>(s.k);
    const profile::scope timed(
        {name_in_profile<T>(), {o.uplo, o.trans_a, o.trans_b}, s.n, s.n, s.k, flop});
    if (s.n == 0 || ((f.alpha == T{0} || s.k == 0) && f.beta == T{1})) return;
    into_triangle(o, s, f, x);
}

// A row-major C is the transpose of a column-major one: C^T = op(B)^T op(A)^T.
template <class T>
void gemmtr_in_order(caller from, int order, const options& o, const sizes& s, const factors<T>& f,
                     const matrices<T>& x) {
    const integer wrong = first_wrong({{1, order != cblas_row_major && order != cblas_col_major},
                                       {2, o.uplo == 0},
                                       {3, o.trans_a == 0},
                                       {4, o.trans_b == 0}});
    if (wrong != 0) return report_wrong_option(from.cblas_name, static_cast<int>(wrong));
    if (order == cblas_col_major) return gemmtr(from, o, s, f, x);
    from.row_major = true;
    gemmtr<T>(from, {other_uplo(o.uplo), o.trans_b, o.trans_a}, s, f,
              {x.b, x.ldb, x.a, x.lda, x.c, x.ldc});
}

// The conjugate transpose differs from the transpose only for complex matrices.
template <class T>
char known_trans(const char* given) {
    return is_complex<T> ? option(given, {'N', 'T', 'C'}) : option_of_trans(given);
}
template <class T>
char known_trans(int given) {
    return is_complex<T> && given == cblas_conj_trans ? 'C' : letter_of_trans(given);
}

// CBLAS passes real factors by value and complex ones by address.
template <class T>
T value(T given) {
    return given;
}
template <class T>
T value(const T* given) {
    return *given;
}

}  // namespace

}  // namespace carat::blas

using carat::blas::integer;
using carat::blas::known_trans;
using carat::blas::option;
using carat::blas::value;

#define CARAT_BLAS_GEMMTR(T, SCALAR, fortran, cblas, NAME)                                         \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(fortran)(                                               \
        const char* uplo, const char* trans_a, const char* trans_b, const integer* n,              \
        const integer* k, const T* alpha, const T* a, const integer* lda, const T* b,              \
        const integer* ldb, const T* beta, T* c, const integer* ldc) {                             \
        carat::blas::gemmtr<T>(                                                                    \
            {NAME}, {option(uplo, {'L', 'U'}), known_trans<T>(trans_a), known_trans<T>(trans_b)},  \
            {*n, *n, *k}, {*alpha, *beta}, {a, *lda, b, *ldb, c, *ldc});                           \
    }                                                                                              \
    CARAT_BLAS_EXPORT void CARAT_BLAS_NAME(cblas)(                                                 \
        int order, int uplo, int trans_a, int trans_b, integer n, integer k, SCALAR alpha,         \
        const T* a, integer lda, const T* b, integer ldb, SCALAR beta, T* c, integer ldc) {        \
        carat::blas::gemmtr_in_order<T>(                                                           \
            {NAME, #cblas}, order,                                                                 \
            {carat::blas::letter_of_uplo(uplo), known_trans<T>(trans_a), known_trans<T>(trans_b)}, \
            {n, n, k}, {value<T>(alpha), value<T>(beta)}, {a, lda, b, ldb, c, ldc});               \
    }

CARAT_BLAS_GEMMTR(float, float, sgemmtr_, cblas_sgemmtr, "SGEMMTR")
CARAT_BLAS_GEMMTR(double, double, dgemmtr_, cblas_dgemmtr, "DGEMMTR")
CARAT_BLAS_GEMMTR(float, float, sgemmt_, cblas_sgemmt, "SGEMMT ")
CARAT_BLAS_GEMMTR(double, double, dgemmt_, cblas_dgemmt, "DGEMMT ")

// Not under the names of wheels, whose fallback also has other names.
#ifndef CARAT_BLAS_64_NAMES
using complex_float = std::complex<float>;
using complex_double = std::complex<double>;
CARAT_BLAS_GEMMTR(complex_float, const complex_float*, cgemmtr_, cblas_cgemmtr, "CGEMMTR")
CARAT_BLAS_GEMMTR(complex_double, const complex_double*, zgemmtr_, cblas_zgemmtr, "ZGEMMTR")
CARAT_BLAS_GEMMTR(complex_float, const complex_float*, cgemmt_, cblas_cgemmt, "CGEMMT ")
CARAT_BLAS_GEMMTR(complex_double, const complex_double*, zgemmt_, cblas_zgemmt, "ZGEMMT ")
#endif
