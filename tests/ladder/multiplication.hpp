// One product of small whole numbers by rows, for tests of what tests/catalogue does not ask of the
// steps; that their results are right is its business.
#pragma once

#include <cstdint>
#include <vector>

#include <carat/types.hpp>

#include "core/problem.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::test {

template <class T>
struct multiplication {
    core::problem problem;
    std::vector<T> a, b, c;

    multiplication(std::int64_t m, std::int64_t n, std::int64_t k)
        : problem(core::row_major_problem(dtype_of_v<T>, m, n, k)),
          a(static_cast<std::size_t>(m * k)),
          b(static_cast<std::size_t>(k * n)),
          c(static_cast<std::size_t>(m * n)) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i % 7) - 3;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 5) - 2;
    }

    [[nodiscard]] core::operands data() { return {a.data(), b.data(), c.data()}; }
};

template <class T>
[[nodiscard]] bool takes(const rows::implementation& entry) {
    const auto p = core::row_major_problem(dtype_of_v<T>, 1, 1, 1);
    return rows::find_signature(entry, p) != nullptr;
}

inline core::settings on_threads(int threads) {
    core::settings s;
    s.threads = threads;
    return s;
}

}  // namespace carat::test
