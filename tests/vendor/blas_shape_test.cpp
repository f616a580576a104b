// Strides into BLAS's letters and leading dimensions, against an oracle that reads elements back.
#include "lab/vendor/common/blas_shape.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>

namespace carat::vendor::test {

namespace {

constexpr std::int64_t int_max = std::numeric_limits<int>::max();

// Where element (i, j) of an operand lies, as BLAS reads a letter and a leading dimension.
std::int64_t offset(char letter, std::int64_t ld, std::int64_t i, std::int64_t j) {
    return letter == 'N' ? i + j * ld : j + i * ld;
}

std::int64_t offset(const core::layout& where, std::int64_t i, std::int64_t j) {
    return i * where.row_stride + j * where.col_stride;
}

// The first element that BLAS would take from somewhere else, or nothing.
std::string misread(const core::problem& p) {
    const blas_shape s = shape_for_blas(p);
    const char turned[] = {'T', 'N'};
    const auto ours = [&](char letter) { return s.swapped ? turned[letter == 'T'] : letter; };
    const char a_letter = ours(s.swapped ? s.second_letter : s.first_letter);
    const char b_letter = ours(s.swapped ? s.first_letter : s.second_letter);
    const char c_letter = ours('N');
    const std::int64_t a_ld = s.swapped ? s.second_ld : s.first_ld;
    const std::int64_t b_ld = s.swapped ? s.first_ld : s.second_ld;
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t l = 0; l < p.k; ++l)
            if (offset(a_letter, a_ld, i, l) != offset(p.a_layout, i, l)) return "A";
    for (std::int64_t l = 0; l < p.k; ++l)
        for (std::int64_t j = 0; j < p.n; ++j)
            if (offset(b_letter, b_ld, l, j) != offset(p.b_layout, l, j)) return "B";
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j)
            if (offset(c_letter, s.c_ld, i, j) != offset(p.c_layout, i, j)) return "C";
    return {};
}

// The letters and leading dimensions that reference dgemm would reject with xerbla.
bool is_illegal(const blas_shape& s) {
    const std::int64_t first_rows = s.first_letter == 'N' ? s.m : s.k;
    const std::int64_t second_rows = s.second_letter == 'N' ? s.k : s.n;
    return s.first_ld < first_rows || s.second_ld < second_rows || s.c_ld < s.m;
}

TEST(blas_shape, all_strides_of_small_problems_are_read_right_or_refused) {
    static constexpr std::array<std::int64_t, 6> strides = {-1, 0, 1, 2, 3, 4};
    int taken = 0;
    int refused = 0;
    for (std::int64_t m = 1; m <= 3; ++m)
        for (std::int64_t k = 1; k <= 3; ++k)
            for (const std::int64_t rows : strides)
                for (const std::int64_t cols : strides)
                    for (const bool c_by_rows : {true, false}) {
                        core::problem p = core::row_major_problem(dtype::f64, m, 3, k);
                        p.a_layout = {rows, cols};
                        p.b_layout = core::column_major(k);
                        if (!c_by_rows) p.c_layout = core::column_major(m + 1);
                        if (!reason_against_shape(p, int_max).empty()) {
                            ++refused;
                            continue;
                        }
                        ++taken;
                        EXPECT_EQ(misread(p), "") << m << " " << k << " " << rows << " " << cols;
                        EXPECT_FALSE(is_illegal(shape_for_blas(p)));
                    }
    EXPECT_EQ(taken + refused, 3 * 3 * 6 * 6 * 2);
    // Any strides for 1 x 1; for the four vectors any positive one along them; for the rest a
    // stride of 1 and another from the length to 4, either way round.
    EXPECT_EQ(taken, 2 * (36 + 4 * 4 * 6 + (3 + 3) + 2 * (3 + 2) + (2 + 2)));
}

TEST(blas_shape, integers_that_do_not_fit_are_refused_with_both_values) {
    core::problem p = core::row_major_problem(dtype::f64, 2, 2, 2);
    p.k = int_max + 1;
    EXPECT_EQ(reason_against_shape(p, int_max),
              "K is 2147483648: this library's integers end at 2147483647");
    p = core::row_major_problem(dtype::f64, 2, 2, 2);
    p.b_layout.row_stride = int_max + 1;
    EXPECT_EQ(
        reason_against_shape(p, int_max),
        "the leading dimension of B is 2147483648: this library's integers end at 2147483647");
    EXPECT_EQ(reason_against_shape(p, std::numeric_limits<std::int64_t>::max()), "");
}

TEST(blas_shape, degenerate_problems_need_no_layout) {
    core::problem p = core::row_major_problem(dtype::f64, 2, 2, 0);
    p.a_layout = p.b_layout = p.c_layout = {7, 9};
    EXPECT_EQ(reason_against_shape(p, int_max), "");
}

}  // namespace

}  // namespace carat::vendor::test
