// What the tests of the public call share: matrices from a seed, the definition of the product in
// long double, comparison to the bit, and what a refusal must say.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include <carat/carat.hpp>

namespace carat::test {

template <class T>
matrix<T> random_matrix(std::size_t rows, std::size_t cols, unsigned seed) {
    matrix<T> m(rows, cols);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = T(uniform(engine));
    return m;
}

// Whole numbers from -most to most.
template <class T>
matrix<T> whole_matrix(std::size_t rows, std::size_t cols, int most, unsigned seed) {
    matrix<T> m(rows, cols);
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> uniform(-most, most);
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = T(uniform(engine));
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

// Expects `call` to throw `code` in one line that contains all of `words`.
template <class Call>
void expect_refusal(const Call& call, error_code code, const std::vector<std::string>& words) {
    try {
        call();
        ADD_FAILURE() << words[0] << " was accepted";
    } catch (const error& why) {
        const std::string message = why.what();
        EXPECT_EQ(why.code(), code) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
        for (const std::string& word : words)
            EXPECT_NE(message.find(word), std::string::npos) << message;
    }
}

// Element types of operands and of C, for typed tests.
template <class I, class O>
struct types {
    using in = I;
    using out = O;
};

}  // namespace carat::test
