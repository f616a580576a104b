// Whether C is right: the oracle of the tests, on the sums of lab/verify. Sums of whole numbers are
// exact, so that C must be their rounding; all other sums are held to the proved bound of what
// computes them. The fuzzer has an oracle of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <carat/types.hpp>
#include <carat/views.hpp>

#include "core/problem.hpp"
#include "lab/verify/product.hpp"

namespace carat::test {

// A matrix of the public call as the verifier reads it.
template <class M>
[[nodiscard]] verify::source source_of(const M& m) {
    const auto v = view_of(m);
    using element = std::remove_const_t<typename decltype(v)::element_type>;
    return {v.data(),
            dtype_of_v<element>,
            static_cast<std::int64_t>(v.rows()),
            static_cast<std::int64_t>(v.cols()),
            {v.row_stride(), v.col_stride()}};
}

// A B in twice the precision of double, and |A||B|.
class sums {
  public:
    sums(const verify::source& a, const verify::source& b);
    template <class A, class B>
    sums(const A& a, const B& b) : sums(source_of(a), source_of(b)) {}

    template <class Index>
    [[nodiscard]] double operator()(Index i, Index j) const {
        return all_.high[at(i, j)] + all_.low[at(i, j)];
    }
    template <class Index>
    [[nodiscard]] double magnitude(Index i, Index j) const {
        return all_.absolute[at(i, j)];
    }

  private:
    template <class Index>
    [[nodiscard]] std::size_t at(Index i, Index j) const {
        const auto row = static_cast<std::int64_t>(i), col = static_cast<std::int64_t>(j);
        return is_turned_ ? all_.index(col, row) : all_.index(row, col);
    }
    bool is_turned_;  // few columns would take much memory, as lines are padded
    verify::sum_matrix all_;
};

// Counts wrong elements, and says where they are.
class wrong_elements {
  public:
    void note(std::int64_t i, std::int64_t j, double got, double expected);
    [[nodiscard]] std::string text() const;

  private:
    std::int64_t count_ = 0;
    std::int64_t top_ = std::numeric_limits<std::int64_t>::max(), left_ = top_;
    std::int64_t bottom_ = -1, right_ = -1;
    std::string first_;
};

// Which elements got(i, j) are not expected(i, j), or off by more than `tolerance` of it (of 1
// where it is less); empty if none is. NaN is right where NaN is expected.
template <class Index, class Got, class Expected>
[[nodiscard]] std::string wrong_among(Index rows, Index cols, const Got& got,
                                      const Expected& expected, double tolerance = 0) {
    wrong_elements wrong;
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j) {
            const auto is = static_cast<double>(got(i, j));
            const auto must = static_cast<double>(expected(i, j));
            if (!(std::abs(is - must) <= tolerance * std::fmax(1, std::abs(must))) && is != must &&
                !(std::isnan(is) && std::isnan(must)))
                wrong.note(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), is, must);
        }
    return wrong.text();
}
template <class C, class Expected>
[[nodiscard]] std::string wrong_in(const C& c, const Expected& expected, double tolerance = 0) {
    const auto v = view_of(c);
    return wrong_among(v.rows(), v.cols(), v, expected, tolerance);
}

// Why `c` is not alpha A B + beta C within the bound of what it computes in; `before` has A, B and,
// unless beta is 0, the C before. Empty if it is.
[[nodiscard]] std::string beyond_bound(const core::problem& p, const core::operands& before,
                                       const void* c, std::string_view computes_in = {});

}  // namespace carat::test
