// One product on operands that would show any misuse: small integers, so that every order of
// summation gives the same bits; NaN in whatever must not be read; a sentinel in C's padding.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <carat/types.hpp>

#include "lab/rows/implementation.hpp"

namespace carat::vendor::test {

// The layouts a BLAS takes: by rows or by columns, `padding` elements between.
struct lie {
    bool by_rows;
    std::int64_t padding;

    [[nodiscard]] core::layout of(std::int64_t rows, std::int64_t cols) const {
        return by_rows ? core::row_major(cols + padding) : core::column_major(rows + padding);
    }
};

template <class T>
class storage {
  public:
    storage(std::int64_t rows, std::int64_t cols, const core::layout& where, double fill)
        : rows_(rows),
          cols_(cols),
          where_(where),
          // One element more than touched, so that the end is guarded too.
          data_(static_cast<std::size_t>(core::extent_elements(rows, cols, where)) + 1, T(fill)) {}

    [[nodiscard]] T& operator()(std::int64_t i, std::int64_t j) {
        return data_[static_cast<std::size_t>(i * where_.row_stride + j * where_.col_stride)];
    }
    template <class Value>
    void fill(Value value) {
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t j = 0; j < cols_; ++j) (*this)(i, j) = T(value());
    }
    [[nodiscard]] T* data() { return data_.data(); }
    [[nodiscard]] std::size_t size_bytes() const { return data_.size() * sizeof(T); }

  private:
    std::int64_t rows_;
    std::int64_t cols_;
    core::layout where_;
    std::vector<T> data_;
};

// Runs `entry` on `p` with seeded integers and returns what is wrong with C; empty when nothing is.
// What must not be read, or be written: NaN and a large number where the type has them.
template <class T>
constexpr double poison = std::is_integral_v<T> ? 77 : std::numeric_limits<double>::quiet_NaN();
template <class T>
constexpr double sentinel = std::is_integral_v<T> ? -77'777'777 : -1e10;

template <class Input, class Output, class Second = Input>
std::string run_and_check(const rows::implementation& entry, const core::problem& p, int threads) {
    std::mt19937 random(static_cast<unsigned>(p.m * 10007 + p.n * 101 + p.k));
    const auto integer = [&] { return static_cast<double>(random() % 7) - 3; };
    storage<Input> a(p.m, p.k, p.a_layout, poison<Input>);
    storage<Second> b(p.k, p.n, p.b_layout, poison<Second>);
    storage<Output> c(p.m, p.n, p.c_layout, sentinel<Output>);
    if (p.alpha != 0) {
        a.fill([&] { return integer() + (std::is_unsigned_v<Input> ? 3 : 0); });
        b.fill(integer);
    }
    c.fill(integer);
    storage<Output> expected = c;
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            double sum = 0;
            for (std::int64_t l = 0; p.alpha != 0 && l < p.k; ++l)
                sum += static_cast<double>(a(i, l)) * static_cast<double>(b(l, j));
            const double old = p.beta == 0 ? 0 : p.beta * static_cast<double>(c(i, j));
            expected(i, j) = Output(p.alpha * sum + old + 0.0);
        }
    if (p.beta == 0) c.fill([&] { return poison<Output>; });

    const auto product = entry.prepare(p, {threads, {}});
    product->run({a.data(), b.data(), c.data()});
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            if (c(i, j) != expected(i, j))
                return core::describe(p) + ": C(" + std::to_string(i) + ", " + std::to_string(j) +
                       ") is " + std::to_string(c(i, j)) + ", not " +
                       std::to_string(expected(i, j));
            c(i, j) = expected(i, j);  // -0 and 0 are both right
        }
    if (std::memcmp(c.data(), expected.data(), c.size_bytes()) != 0)
        return core::describe(p) + ": elements outside C were written";
    return {};
}

inline std::string run_and_check(const rows::implementation& entry, const core::problem& p,
                                 int threads) {
    if (p.a_type == dtype::f64) return run_and_check<double, double>(entry, p, threads);
    if (p.a_type == dtype::f32) return run_and_check<float, float>(entry, p, threads);
    if (p.a_type == dtype::i8) return run_and_check<std::int8_t, std::int32_t>(entry, p, threads);
    if (p.a_type == dtype::u8)
        return run_and_check<std::uint8_t, std::int32_t, std::int8_t>(entry, p, threads);
    return run_and_check<bf16, float>(entry, p, threads);
}

}  // namespace carat::vendor::test
