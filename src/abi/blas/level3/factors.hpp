// When alpha is applied. The reference BLAS multiplies B by it before the work; OpenBLAS multiplies
// the products after it, except in trmm and trsm. Either way an intermediate number may leave the
// range although the result does not. Here alpha may be split: a power of two goes before, the rest
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

// Splits alpha for alpha T B and alpha T^-1 B: all of it goes before, unless the largest element of
// B would come near an end of the range. B is read by this number of threads, and not at all if
// alpha is 1 or -1.
template <class T>
[[nodiscard]] split_factor<T> split_before(T alpha, const view<T>& b, int threads);

// Splits alpha for alpha A B, given the largest elements of both: all of it goes after, except what
// keeps A B in the range. `first` is nearly always 1.
template <class T>
[[nodiscard]] split_factor<T> split_after(T alpha, T largest_of_a, T largest_of_b,
                                          std::size_t depth);

// True from 2^16 on, or up to 2^-16; other factors leave A B where it is likely to be in range.
template <class T>
[[nodiscard]] bool is_far_from_one(T alpha);

// The largest magnitude of the finite elements.
template <class T>
[[nodiscard]] T largest(const view<const T>& x);
template <class T>
[[nodiscard]] T largest(const triangle<T>& x);

// Calls run(factor, x) for alpha times the product of `x` and `other`, with a multiple of x if
// their product would leave the range.
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
