// Divides views in two.
#pragma once

#include "abi/blas/level3/product.hpp"

namespace carat::blas {

// About half of n, in whole blocks.
[[nodiscard]] constexpr std::size_t half_of(std::size_t n, std::size_t block) {
    return (n / 2 + block - 1) / block * block;
}

template <class T>
[[nodiscard]] view<T> rows_before(const view<T>& m, std::size_t at) {
    return m.block(0, 0, at, m.cols());
}
template <class T>
[[nodiscard]] view<T> rows_from(const view<T>& m, std::size_t at) {
    return m.block(at, 0, m.rows() - at, m.cols());
}
template <class T>
[[nodiscard]] view<T> cols_before(const view<T>& m, std::size_t at) {
    return m.block(0, 0, m.rows(), at);
}
template <class T>
[[nodiscard]] view<T> cols_from(const view<T>& m, std::size_t at) {
    return m.block(0, at, m.rows(), m.cols() - at);
}

// The four blocks of a square matrix cut at `at`.
template <class T>
struct quarters {
    quarters(const view<T>& m, std::size_t at)
        : m11(rows_before(cols_before(m, at), at)),
          m12(rows_before(cols_from(m, at), at)),
          m21(rows_from(cols_before(m, at), at)),
          m22(rows_from(cols_from(m, at), at)) {}

    view<T> m11;
    view<T> m12;
    view<T> m21;
    view<T> m22;
};

}  // namespace carat::blas
