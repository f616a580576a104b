// Eigen's matrices, maps, blocks and transposes as operands, without a copy:
//
//   #include <carat/carat.hpp>
//   #include <carat/eigen.hpp>
//   Eigen::MatrixXd a(m, k), b(k, n), c(m, n);
//   carat::matrix_product(a, b.transpose(), c);
//
// An expression without elements in memory (a sum, a product) must be evaluated first. C must
// already have its size. Needs Eigen 3.3 or later, which only this header includes.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <type_traits>

#include <carat/views.hpp>

namespace carat::detail {

template <class D>
concept eigen_in_memory = (D::Flags & Eigen::DirectAccessBit) != 0;

template <class D>
[[nodiscard]] auto view_of_eigen(D& m) {
    using element = std::remove_pointer_t<decltype(m.data())>;
    return matrix_view<element>(
        m.data(), static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()),
        static_cast<std::ptrdiff_t>(m.rowStride()), static_cast<std::ptrdiff_t>(m.colStride()));
}

}  // namespace carat::detail

// Found by the types of its arguments, like carat's own view_of.
namespace Eigen {

template <class D>
requires carat::detail::eigen_in_memory<D>
[[nodiscard]] auto view_of(MatrixBase<D>& m) {
    return carat::detail::view_of_eigen(m.derived());
}
template <class D>
requires carat::detail::eigen_in_memory<D>
[[nodiscard]] auto view_of(const MatrixBase<D>& m) {
    return carat::detail::view_of_eigen(m.derived());
}

}  // namespace Eigen
