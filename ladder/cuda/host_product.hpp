// A product of the catalogue as the kernels of this ladder get it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/problem.hpp"
#include "ladder/cuda/product.hpp"

namespace carat::ladder::cuda {

template <class Sum>
[[nodiscard]] Sum factor(double value) {
    if constexpr (std::is_integral_v<Sum>)
        return static_cast<Sum>(static_cast<std::int64_t>(value));
    else
        return static_cast<Sum>(value);
}

// The product a kernel computes for problem `p`. With alpha = 0 it has no terms, so A and B stay
// unread. A column-major C is computed as C^T = B^T A^T, so that kernels always write along rows.
template <class In, class Out, class Sum>
[[nodiscard]] product<In, Out, Sum> make_product(const core::problem& p,
                                                 const core::operands& data) {
    const std::int64_t terms = p.alpha == 0 ? 0 : p.k;
    const auto alpha = factor<Sum>(terms == 0 ? 0 : p.alpha);
    const auto beta = factor<Sum>(p.beta);
    const matrix<const In> a{static_cast<const In*>(data.a), p.m, terms, p.a_layout.row_stride,
                             p.a_layout.col_stride};
    const matrix<const In> b{static_cast<const In*>(data.b), terms, p.n, p.b_layout.row_stride,
                             p.b_layout.col_stride};
    const matrix<Out> c{static_cast<Out*>(data.c), p.m, p.n, p.c_layout.row_stride,
                        p.c_layout.col_stride};
    if (c.row_stride < c.col_stride)
        return {b.transposed(), a.transposed(), c.transposed(), alpha, beta};
    return {a, b, c, alpha, beta};
}

}  // namespace carat::ladder::cuda
