// The operands of one case for either side, and the check of the result.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <carat/carat.hpp>

#include "benchmarks/cpu_call/peers.hpp"

namespace carat::benchmark {

template <class T>
struct operand {
    std::vector<T> values;
    placed how;
    std::size_t rows = 0, cols = 0;
    std::int64_t step = 0;  // from one matrix to the next

    operand(const placed& lines, std::int64_t m, std::int64_t n, std::int64_t count,
            std::mt19937_64& random)
        : how(lines),
          rows(static_cast<std::size_t>(m)),
          cols(static_cast<std::size_t>(n)),
          step((how.by_rows ? m : n) * how.lead) {
        std::uniform_real_distribution<T> uniform(-1, 1);
        values.resize(static_cast<std::size_t>(step * count));
        for (T& x : values) x = uniform(random);
    }
    [[nodiscard]] matrix_view<T> view(std::int64_t i = 0) {
        return {values.data() + i * step, rows, cols, how.by_rows ? how.lead : 1,
                how.by_rows ? 1 : how.lead};
    }
};

template <class T>
struct operands {
    call_case one;
    operand<T> a, b, c;

    operands(const call_case& wanted, std::mt19937_64& random)
        : one(wanted),
          a(one.a, one.m, one.k, one.count, random),
          b(one.b, one.k, one.n, one.count, random),
          c(one.c, one.m, one.n, one.count, random) {}

    void multiply(int threads = 1) {
        const cpu where{threads};
        if (one.count == 1)
            return matrix_product(where, a.view(), b.view(), scaled(one.beta, c.view()), c.view());
        const auto count = static_cast<std::size_t>(one.count);
        const auto to = strided(c.view(), count, c.step);
        matrix_products(where, strided(a.view(), count, a.step), strided(b.view(), count, b.step),
                        strided(scaled(one.beta, c.view()), count, c.step), to);
    }
    void multiply(const peer<T>& other) {
        const auto as_int = [](std::int64_t x) { return static_cast<int>(x); };
        other(one, a.values.data(), as_int(a.step), b.values.data(), as_int(b.step),
              c.values.data(), as_int(c.step));
    }
};

// Whether some elements of C are within the bound of rounding, and none between its lines has
// changed.
template <class T>
bool is_right(operands<T>& x, std::vector<T> before, std::mt19937_64& random) {
    const call_case& one = x.one;
    std::vector<T> left = x.c.values;
    const auto pick = [&](std::int64_t end) {
        return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
    };
    for (int sample = 0; sample < 200; ++sample) {
        const std::int64_t of = pick(one.count), i = pick(one.m), j = pick(one.n);
        const auto at = [](auto view, std::int64_t row, std::int64_t col) {
            return static_cast<long double>(
                view(static_cast<std::size_t>(row), static_cast<std::size_t>(col)));
        };
        matrix_view<T> old = x.c.view(of);
        old = {before.data() + (old.data() - x.c.values.data()), old.rows(), old.cols(),
               old.row_stride(), old.col_stride()};
        long double sum = one.beta * at(old, i, j);
        long double size = std::fabs(sum);
        for (std::int64_t p = 0; p < one.k; ++p) {
            const long double term = at(x.a.view(of), i, p) * at(x.b.view(of), p, j);
            sum += term, size += std::fabs(term);
        }
        const long double bound =
            static_cast<long double>(one.k + 4) * std::numeric_limits<T>::epsilon() / 2 * size;
        if (!(std::fabs(at(x.c.view(of), i, j) - sum) <= bound)) return false;
    }
    const std::int64_t used = one.c.by_rows ? one.n : one.m;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (static_cast<std::int64_t>(i) % one.c.lead >= used && left[i] != before[i]) return false;
    return true;
}

}  // namespace carat::benchmark
