// The tiles that steps 4 to 7 walk over. A tile of a matrix is a matrix itself, a view of at most
// size x size elements; the last tile of a row or column is simply smaller, so no size is special.
#pragma once

#include <algorithm>
#include <cstddef>

#include <carat/views.hpp>

#include "lab/rows/implementation.hpp"

namespace carat::ladder::cpu {

// 144 is a multiple of every micro-tile of the anatomy steps, so one size serves the whole ladder
// and a step's factor is its own; three such tiles of doubles take 486 KiB, about half an L2.
inline constexpr core::tunable tile_size = {
    "tile-size", 144, 1, 65536, "edge of a square tile; three tiles should fit in a near cache"};
inline constexpr core::tunable tile_tunables[] = {tile_size};

template <class T>
[[nodiscard]] matrix_view<T> tile(matrix_view<T> m, std::size_t i, std::size_t j,
                                  std::size_t size) {
    return m.block(i, j, std::min(size, m.rows() - i), std::min(size, m.cols() - j));
}

// C += alpha A B for one tile, in the order of step 2: the work that steps 5, 6 and 7 arrange.
template <class T>
[[gnu::noinline]] void multiply_tile(T alpha, matrix_view<const T> a, matrix_view<const T> b,
                                     matrix_view<T> c) {
    for (std::size_t i = 0; i < c.rows(); ++i) {
        for (std::size_t k = 0; k < a.cols(); ++k) {
            const T a_ik = alpha * a(i, k);
            for (std::size_t j = 0; j < c.cols(); ++j) c(i, j) += a_ik * b(k, j);
        }
    }
}

// The tile of C at (i, j) in full: a row of A's tiles times a column of B's.
template <class T>
void multiply_tiles(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c,
                    std::size_t i, std::size_t j, std::size_t size) {
    for (std::size_t k = 0; k < a.cols(); k += size)
        multiply_tile(alpha, tile(a, i, k, size), tile(b, k, j, size), tile(c, i, j, size));
}

}  // namespace carat::ladder::cpu
