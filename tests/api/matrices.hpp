// What the tests of the public call share: matrices from a seed, and comparison to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <carat/carat.hpp>

#include "tests/support/oracle.hpp"
#include "tests/support/refusal.hpp"

namespace carat::test {

// SplitMix64: operands by the standard library's generators took a third of these tests' time.
class draws {
  public:
    explicit draws(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // A number not below -1, and below 1.
    double fraction() { return static_cast<double>(static_cast<std::int64_t>(bits())) * 0x1p-63; }
    // A whole number from -most to most.
    int whole(int most) {
        const auto count = static_cast<std::uint64_t>(2 * most + 1);
        return static_cast<int>(((bits() >> 32) * count) >> 32) - most;
    }

  private:
    std::uint64_t state_;
};

template <class T>
matrix<T> random_matrix(std::size_t rows, std::size_t cols, unsigned seed) {
    matrix<T> m(rows, cols);
    draws of(seed);
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = T(of.fraction());
    return m;
}

// Whole numbers from -most to most.
template <class T>
matrix<T> whole_matrix(std::size_t rows, std::size_t cols, int most, unsigned seed) {
    matrix<T> m(rows, cols);
    draws of(seed);
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = T(of.whole(most));
    return m;
}

template <class T>
bool same_bits(const matrix<T>& x, const matrix<T>& y) {
    return x.rows() == y.rows() && x.cols() == y.cols() &&
           (x.rows() * x.cols() == 0 ||
            std::memcmp(x.data(), y.data(), x.rows() * x.cols() * sizeof(T)) == 0);
}

// Equal numbers everywhere; zeros of either sign are equal, NaN never.
template <class T>
bool same_values(const matrix<T>& x, const matrix<T>& y) {
    for (std::size_t i = 0; i < x.rows() * x.cols(); ++i)
        if (double(x.data()[i]) != double(y.data()[i])) return false;
    return x.rows() == y.rows() && x.cols() == y.cols();
}

// Fills with NaN, or with a number no test produces.
template <class T>
void poison(matrix<T>& m) {
    for (std::size_t i = 0; i < m.rows() * m.cols(); ++i) {
        if constexpr (std::is_integral_v<T>) {
            m.data()[i] = T{-123456789};
        } else {
            m.data()[i] = T(std::numeric_limits<double>::quiet_NaN());
        }
    }
}

// alpha A B + beta E of whole numbers small enough for T; E is not read if beta is 0.
template <class T, class A, class B, class E>
matrix<T> expected(double alpha, const A& a, const B& b, double beta, const E& of_e) {
    const auto e = view_of(of_e);
    const sums product(a, b);
    matrix<T> c(view_of(a).rows(), view_of(b).cols());
    for (std::size_t i = 0; i < c.rows(); ++i)
        for (std::size_t j = 0; j < c.cols(); ++j)
            c(i, j) = T(alpha * product(i, j) + (beta == 0 ? 0 : beta * double(e(i, j))));
    return c;
}

// Element types of operands and of C, for typed tests.
template <class I, class O>
struct types {
    using in = I;
    using out = O;
};

}  // namespace carat::test
