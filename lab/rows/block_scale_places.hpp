// The layout of block scales in one piece of memory, for the laboratory and cuBLASLt: those of A, a
// row of m for each 128 of K; then those of B along K, in rows padded to multiples of four.
#pragma once

#include "core/block_scales.hpp"
#include "core/problem.hpp"

namespace carat::rows {

struct block_scale_places {
    std::int64_t m, of_k, k_of_row, of_n;

    explicit block_scale_places(const core::problem& p)
        : m(p.m), of_k((p.k + 127) / 128), k_of_row((of_k + 3) / 4 * 4), of_n((p.n + 127) / 128) {}

    [[nodiscard]] std::int64_t of_a(std::int64_t row, std::int64_t k_block) const {
        return k_block * m + row;
    }
    // Aligned to 256 bytes.
    [[nodiscard]] std::int64_t first_of_b() const { return (of_k * m + 63) / 64 * 64; }
    [[nodiscard]] std::int64_t of_b(std::int64_t k_block, std::int64_t n_block) const {
        return first_of_b() + n_block * k_of_row + k_block;
    }
    [[nodiscard]] std::int64_t count() const { return first_of_b() + of_n * k_of_row; }

    [[nodiscard]] core::block_scales at(const float* first) const {
        return {first,
                1,
                static_cast<std::int32_t>(m),
                first + first_of_b(),
                static_cast<std::int32_t>(k_of_row),
                1};
    }
};

}  // namespace carat::rows
