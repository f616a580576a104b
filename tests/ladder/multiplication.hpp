// One product for a test: operands of small integers, which every order of summation multiplies
// exactly, in any layout, with guard elements around and between the elements of C.
#pragma once

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include <carat/types.hpp>

#include "core/problem.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::test {

enum class shape { row_major, column_major, padded_rows, both_strides, one_row, one_element };

// one_row and one_element repeat elements (stride 0), so they are for A and B only.
inline core::layout layout_of(shape s, std::int64_t rows, std::int64_t cols) {
    switch (s) {
        case shape::row_major:
            return core::row_major(cols);
        case shape::column_major:
            return core::column_major(rows);
        case shape::padded_rows:
            return {cols + 3, 1};
        case shape::both_strides:
            return {2 * cols + 5, 2};
        case shape::one_row:
            return {0, 1};
        case shape::one_element:
            return {0, 0};
    }
    return {};
}

template <class T>
class multiplication {
  public:
    core::problem problem;
    std::vector<T> a, b, c;

    multiplication(std::int64_t m, std::int64_t n, std::int64_t k, shape sa = shape::row_major,
                   shape sb = shape::row_major, shape sc = shape::row_major)
        : problem(core::row_major_problem(dtype_of_v<T>, m, n, k)) {
        problem.a_layout = layout_of(sa, m, k);
        problem.b_layout = layout_of(sb, k, n);
        problem.c_layout = layout_of(sc, m, n);
        a = small_integers(core::extent_elements(m, k, problem.a_layout), 5);
        b = small_integers(core::extent_elements(k, n, problem.b_layout), 7);
        c = small_integers(core::extent_elements(m, n, problem.c_layout) + 2 * guard, 11);
    }

    [[nodiscard]] core::operands data() { return {a.data(), b.data(), c.data() + guard}; }
    [[nodiscard]] auto a_at(std::int64_t i, std::int64_t k) {
        return a.begin() + at(problem.a_layout, i, k);
    }
    [[nodiscard]] auto b_at(std::int64_t k, std::int64_t j) {
        return b.begin() + at(problem.b_layout, k, j);
    }
    [[nodiscard]] auto c_at(std::int64_t i, std::int64_t j) {
        return c.begin() + guard + at(problem.c_layout, i, j);
    }

    // What c has to be after the product: exact, the guards as they were. Reads C only for
    // beta != 0 and A and B only for alpha != 0.
    [[nodiscard]] std::vector<T> expected() {
        std::vector<T> result = c;
        for (std::int64_t i = 0; i < problem.m; ++i)
            for (std::int64_t j = 0; j < problem.n; ++j) {
                double sum = 0;
                for (std::int64_t k = 0; problem.alpha != 0 && k < problem.k; ++k)
                    sum += static_cast<double>(*a_at(i, k)) * static_cast<double>(*b_at(k, j));
                double value = problem.alpha == 0 ? 0 : problem.alpha * sum;
                if (problem.beta != 0) value += problem.beta * static_cast<double>(*c_at(i, j));
                result[static_cast<std::size_t>(c_at(i, j) - c.begin())] = static_cast<T>(value);
            }
        return result;
    }

    // Runs `entry` and compares every element of the buffer, NaN equal to NaN.
    void check(const rows::implementation& entry, const core::settings& s = {}) {
        const std::vector<T> wanted = expected();
        entry.prepare(problem, s)->run(data());
        for (std::size_t e = 0; e < c.size(); ++e) {
            const bool both_nan = c[e] != c[e] && wanted[e] != wanted[e];
            if (c[e] == wanted[e] || both_nan) continue;
            ADD_FAILURE() << entry.name << " " << core::describe(problem) << " alpha "
                          << problem.alpha << " beta " << problem.beta << ": element " << e
                          << " of the buffer is " << c[e] << ", should be " << wanted[e];
            return;
        }
    }

    static constexpr std::int64_t guard = 64;

  private:
    static std::int64_t at(const core::layout& l, std::int64_t i, std::int64_t j) {
        return i * l.row_stride + j * l.col_stride;
    }

    // -3 ... 3 without a period that a block size shares.
    static std::vector<T> small_integers(std::int64_t count, std::uint64_t seed) {
        std::vector<T> values(static_cast<std::size_t>(count));
        for (T& value : values) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            value = static_cast<T>(static_cast<int>((seed >> 33) % 7) - 3);
        }
        return values;
    }
};

template <class T>
[[nodiscard]] bool takes(const rows::implementation& entry) {
    const auto p = core::row_major_problem(dtype_of_v<T>, 1, 1, 1);
    return rows::find_signature(entry, p) != nullptr;
}

// Settings with the tunables of `entry` among tile-size, mc, kc and nc set to `size`.
inline core::settings with_blocks(const rows::implementation& entry, std::int64_t size) {
    core::settings s;
    for (const core::tunable& t : entry.tunables) s.tunables[std::string(t.name)] = size;
    return s;
}

inline core::settings on_threads(int threads) {
    core::settings s;
    s.threads = threads;
    return s;
}

}  // namespace carat::test
