// Numbers that depend on the operand and the place alone, the same on a GPU and here, and the exact
// products of the whole ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/support/oracle.hpp"

namespace carat::test {

inline std::uint64_t bits_for(unsigned operand, std::size_t i, std::size_t j) {
    std::uint64_t x = i * 0x9e3779b97f4a7c15u + j * 0xc2b2ae3d27d4eb4fu + operand * 0x165667b1u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x >> 33;
}

// A whole number from -2 to 2, a different one for each operand and place.
template <class Index>
int whole(unsigned operand, Index i, Index j) {
    return static_cast<int>(
               bits_for(operand, static_cast<std::size_t>(i), static_cast<std::size_t>(j)) % 5) -
           2;
}

// A number from -1 to 1.
inline double random(unsigned operand, std::size_t i, std::size_t j) {
    return static_cast<double>(bits_for(operand, i, j)) * 0x1p-30 - 1;
}

// A B of the whole numbers of operands 'a' and 'b'; remembered for each size.
[[nodiscard]] const sums& whole_sums(std::size_t m, std::size_t n, std::size_t k);

}  // namespace carat::test
