// The arguments of the level-3 routines: Fortran letters and CBLAS numbers, checked in the order
// and with the positions of the reference BLAS.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "abi/blas/abi/integer.hpp"
#include "abi/blas/level3/product.hpp"

namespace carat::blas {
inline namespace CARAT_BLAS_WIDTH {

// CBLAS's enumerations, which cross the interface as int.
enum : int {
    cblas_row_major = 101,
    cblas_col_major = 102,
    cblas_no_trans = 111,
    cblas_trans = 112,
    cblas_conj_trans = 113,
    cblas_upper = 121,
    cblas_lower = 122,
    cblas_non_unit = 131,
    cblas_unit = 132,
    cblas_left = 141,
    cblas_right = 142,
};

// The upper-case letter of an option, which Fortran programs may write in either case; '\0' if
// unknown.
[[nodiscard]] constexpr char option(const char* given, std::initializer_list<char> known) {
    const char upper =
        *given >= 'a' && *given <= 'z' ? static_cast<char>(*given - 'a' + 'A') : *given;
    return std::ranges::find(known, upper) != known.end() ? upper : '\0';
}

// 'N' or 'T', as the conjugate transpose of a real matrix is its transpose.
[[nodiscard]] constexpr char option_of_trans(const char* given) {
    const char known = option(given, {'N', 'T', 'C'});
    return known == 'C' ? 'T' : known;
}

// The letter of a CBLAS number; '\0' if it names no option.
[[nodiscard]] constexpr char letter(int given, std::initializer_list<std::pair<int, char>> known) {
    for (const auto& [number, name] : known)
        if (number == given) return name;
    return '\0';
}
[[nodiscard]] constexpr char letter_of_trans(int given) {
    return letter(given, {{cblas_no_trans, 'N'}, {cblas_trans, 'T'}, {cblas_conj_trans, 'T'}});
}
[[nodiscard]] constexpr char letter_of_uplo(int given) {
    return letter(given, {{cblas_upper, 'U'}, {cblas_lower, 'L'}});
}
[[nodiscard]] constexpr char letter_of_side(int given) {
    return letter(given, {{cblas_left, 'L'}, {cblas_right, 'R'}});
}
[[nodiscard]] constexpr char letter_of_diag(int given) {
    return letter(given, {{cblas_non_unit, 'N'}, {cblas_unit, 'U'}});
}

// The column-major routine's equivalent for a row-major matrix.
[[nodiscard]] constexpr char other_side(char side) {
    return side == 'L' ? 'R' : 'L';
}
[[nodiscard]] constexpr char other_uplo(char uplo) {
    return uplo == 'U' ? 'L' : 'U';
}
[[nodiscard]] constexpr char other_trans(char trans) {
    return trans == 'N' ? 'T' : 'N';
}

// Whether a condition on argument `position` fails.
struct check {
    integer position;
    bool wrong;
};

// The first position that is wrong; 0 when all are right.
[[nodiscard]] constexpr integer first_wrong(std::initializer_list<check> checks) {
    for (const check& c : checks)
        if (c.wrong) return c.position;
    return 0;
}

[[nodiscard]] constexpr bool too_small(integer leading_dimension, integer rows) {
    return leading_dimension < std::max<integer>(1, rows);
}

// op(X), rows x cols, for a column-major X.
template <class T>
[[nodiscard]] view<T> operand(char trans, T* data, integer rows, integer cols,
                              integer leading_dimension) {
    const auto ld = static_cast<std::size_t>(leading_dimension);
    const auto r = static_cast<std::size_t>(rows);
    const auto c = static_cast<std::size_t>(cols);
    if (trans == 'N') return column_major(data, r, c, ld);
    return transposed(column_major(data, c, r, ld));
}

// The arguments of gemm, gemmtr, symm, syrk (without B) and syr2k: factors, sizes, and A, B and C
// with their leading dimensions.
template <class T>
struct factors {
    T alpha;
    T beta;
};

template <class T>
struct matrices {
    const T* a;
    integer lda;
    const T* b;
    integer ldb;
    T* c;
    integer ldc;
};

struct sizes {
    integer m;
    integer n;
    integer k;
};

}  // namespace CARAT_BLAS_WIDTH
}  // namespace carat::blas
