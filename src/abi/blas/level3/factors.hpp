// When alpha is applied to the B of alpha T B and alpha T^-1 B: before the work, as the reference
// BLAS and OpenBLAS do, but no more of it than leaves the largest element of B far from both ends
// of the range, and the rest afterwards. A result that can be represented is then reached whatever
// the magnitudes of alpha, T and B are.
#pragma once

#include "abi/blas/level3/product.hpp"

namespace carat::blas {

template <class T>
struct factors_of_b {
    T first;
    T last;  // 1 where `first` is alpha; else `first` is a power of two
};

// B is read by so many threads, and not at all where alpha is 1 or -1.
template <class T>
[[nodiscard]] factors_of_b<T> split_factor(T alpha, const view<T>& b, int threads);

}  // namespace carat::blas
