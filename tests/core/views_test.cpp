// Views are strides: transposes, blocks, column-major and foreign mdspans see the same elements.
#include <array>
#include <gtest/gtest.h>
#include <numeric>

#include <carat/views.hpp>

namespace {

using namespace carat;

// What any implementation of std::mdspan over layout_stride offers, reduced to the concept.
struct foreign_span {
    using element_type = const double;
    using rank_type = unsigned;
    static constexpr rank_type rank() { return 2; }
    [[nodiscard]] unsigned extent(rank_type r) const { return r == 0 ? 2u : 3u; }
    [[nodiscard]] unsigned stride(rank_type r) const { return r == 0 ? 1u : 2u; }
    [[nodiscard]] const double* data_handle() const { return data; }
    const double* data;
};

TEST(matrix_view, row_and_column_major_and_transpose) {
    std::array<double, 6> data;
    std::iota(data.begin(), data.end(), 0.0);
    const matrix_view<double> rows(data.data(), 2, 3);
    const auto cols = column_major(data.data(), 2, 3, 2);
    EXPECT_EQ(rows(1, 0), 3.0);
    EXPECT_EQ(cols(1, 0), 1.0);
    const auto t = transposed(rows);
    EXPECT_EQ(t.rows(), 3u);
    EXPECT_EQ(&t(2, 1), &rows(1, 2));
    EXPECT_EQ(&rows.block(1, 1, 1, 2)(0, 1), &rows(1, 2));
}

TEST(matrix_view, foreign_mdspans_are_accepted_by_concept) {
    const std::array<double, 6> data = {0, 1, 2, 3, 4, 5};
    const foreign_span span{data.data()};
    static_assert(mdspan_like<foreign_span>);
    const auto v = view_of(span);
    EXPECT_EQ(v.rows(), 2u);
    EXPECT_EQ(v(1, 2), 5.0);
    EXPECT_EQ(transposed(span)(2, 1), 5.0);
    EXPECT_EQ(scaled(2.0, span).factor, 2.0);
}

TEST(matrix, owns_zeros_and_refuses_overflow) {
    matrix<float> m(2, 2);
    EXPECT_EQ(m(1, 1), 0.0f);
    m(1, 0) = 3;
    EXPECT_EQ(view_of(m)(1, 0), 3.0f);
    EXPECT_THROW(matrix<float>(std::size_t{1} << 40, std::size_t{1} << 40), error);
}

}  // namespace
