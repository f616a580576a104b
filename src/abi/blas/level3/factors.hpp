// When alpha is applied. The reference BLAS multiplies B by it before the work, OpenBLAS the
// products after it, but for trmm and trsm; either way a number on the way may leave the range
// where the result does not. Here alpha may be cut in two: a power of two goes before, and the rest
// after.
#pragma once

#include <exception>
#include <optional>

#include <carat/views.hpp>

#include "abi/blas/level3/product.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

template <class T>
struct split_factor {
    T first;
    T last;
};

// Of alpha T B and alpha T^-1 B: all of alpha goes before, but no more than leaves the largest
// element of B far from both ends of the range. B is read by so many threads, and not at all where
// alpha is 1 or -1.
template <class T>
[[nodiscard]] split_factor<T> split_before(T alpha, const view<T>& b, int threads);

// Of alpha A B, with the largest elements of both: all of alpha goes after, but for what keeps A B
// in the range. `first` is 1 nearly always.
template <class T>
[[nodiscard]] split_factor<T> split_after(T alpha, T largest_of_a, T largest_of_b,
                                          std::size_t depth);

// From 2^16 on, or up to 2^-16: others leave A B where it is likely to be in range.
template <class T>
[[nodiscard]] bool is_far_from_one(T alpha);

// Of the finite elements.
template <class T>
[[nodiscard]] T largest(const view<const T>& x);
template <class T>
[[nodiscard]] T largest(const triangle<T>& x);

// Calls run(factor, x) for alpha times the product of `x` with `other`: with a multiple of x where
// the product of these would leave the range.
template <class T, class Other, class Run>
void with_safe_factor(T alpha, const view<const T>& x, const Other& other, std::size_t depth,
                      const Run& run) {
    if (!is_far_from_one(alpha)) return run(alpha, x);
    const split_factor<T> f = split_after(alpha, largest<T>(x), largest<T>(other), depth);
    if (f.first == 1) return run(alpha, x);
    std::optional<matrix<T>> multiple;
    try {
        multiple.emplace(x.rows(), x.cols());
    } catch (const std::exception&) {  // no memory: then the range is what it is
        return run(alpha, x);
    }
    for (std::size_t j = 0; j < x.cols(); ++j)
        for (std::size_t i = 0; i < x.rows(); ++i) (*multiple)(i, j) = f.first * x(i, j);
    run(f.last, view<const T>(multiple->view()));
}

}  // namespace carat::blas
