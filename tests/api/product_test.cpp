// The guarantees of the public call about values: both forms, all kinds of matrices, and what it
// must not read.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;
using test::expected;
using test::poison;
using test::same_values;
using test::whole_matrix;

template <class T>
class product : public testing::Test {};
using element_types = testing::Types<double, float, std::int32_t, f16, bf16>;
TYPED_TEST_SUITE(product, element_types);

// Sizes that take the unpacked path, the packed one, and every kind of empty product.
constexpr std::array<std::array<std::size_t, 3>, 8> sizes = {{{1, 1, 1},
                                                              {7, 5, 3},
                                                              {30, 31, 32},
                                                              {165, 170, 160},
                                                              {0, 4, 3},
                                                              {4, 0, 3},
                                                              {4, 5, 0},
                                                              {0, 0, 0}}};

TYPED_TEST(product, plain_updating_and_in_place) {
    using T = TypeParam;
    for (const auto& [m, n, k] : sizes) {
        const auto a = whole_matrix<T>(m, k, 1, 1);
        const auto b = whole_matrix<T>(k, n, 1, 2);
        const auto e = whole_matrix<T>(m, n, 9, 3);
        matrix<T> c(m, n);
        poison(c);
        matrix_product(a, b, c);
        EXPECT_TRUE(same_values(c, expected<T>(1, a, b, 0, e)));

        poison(c);
        matrix_product(a, b, e, c);
        EXPECT_TRUE(same_values(c, expected<T>(1, a, b, 1, e)));

        c = e;
        matrix_product(cpu{2}, scaled(2, a), b, scaled(-3, c), c);
        EXPECT_TRUE(same_values(c, expected<T>(2, a, b, -3, e)));

        poison(c);
        matrix_product(cpu{1}, a, scaled(2, b), scaled(0, c), c);
        EXPECT_TRUE(same_values(c, expected<T>(2, a, b, 0, e)))
            << "scaled by 0, C must not be read";
    }
}

TYPED_TEST(product, alpha_zero_never_reads_a_or_b) {
    using T = TypeParam;
    matrix<T> a(40, 50), b(50, 60), c(40, 60);
    poison(a);
    poison(b);
    const auto e = whole_matrix<T>(40, 60, 9, 3);
    matrix_product(scaled(0, a), b, scaled(2, e), c);
    EXPECT_TRUE(same_values(c, expected<T>(0, matrix<T>(40, 1), matrix<T>(1, 60), 2, e)));
    poison(c);
    matrix_product(a, scaled(0, b), c);
    EXPECT_TRUE(same_values(c, matrix<T>(40, 60)));
}

TYPED_TEST(product, transposes_and_blocks_are_strides) {
    using T = TypeParam;
    const auto a = whole_matrix<T>(20, 30, 1, 1);
    const auto b = whole_matrix<T>(25, 20, 1, 2);
    matrix<T> c(25, 30), ct(30, 25), big(60, 70);
    matrix_product(b, a, c);
    matrix_product(transposed(a), transposed(b), ct);
    matrix_product(b, a, big.view().block(5, 7, 25, 30));
    matrix<T> columns(30, 25);
    matrix_product(transposed(scaled(2, transposed(scaled(0.5, b)))), a,
                   column_major(columns.data(), 25, 30, 25));
    for (std::size_t i = 0; i < 25; ++i) {
        for (std::size_t j = 0; j < 30; ++j) {
            EXPECT_EQ(double(ct(j, i)), double(c(i, j)));
            EXPECT_EQ(double(big(5 + i, 7 + j)), double(c(i, j)));
            EXPECT_EQ(double(columns(j, i)), double(c(i, j)));
        }
    }
    EXPECT_EQ(double(big(4, 7)), 0.0);
    EXPECT_EQ(double(big(30, 7)), 0.0);
    EXPECT_EQ(double(big(5, 37)), 0.0);
}

TYPED_TEST(product, operands_may_have_zero_or_negative_strides) {
    using T = TypeParam;
    auto row = whole_matrix<T>(1, 20, 1, 1);
    const auto b = whole_matrix<T>(20, 12, 1, 2);
    const matrix_view<T> repeated(row.data(), 9, 20, 0, 1);
    const matrix_view<T> reversed(row.data() + 19, 9, 20, 0, -1);
    const matrix_view<const T> b_reversed(&b(19, 0), 20, 12, -12, 1);
    matrix<T> c(9, 12), d(9, 12), once(1, 12);
    matrix_product(repeated, b, c);
    matrix_product(reversed, b_reversed, matrix_view<T>(&d(8, 11), 9, 12, -12, -1));
    matrix_product(row, b, once);
    for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t j = 0; j < 12; ++j) {
            EXPECT_EQ(double(c(i, j)), double(once(0, j)));
            EXPECT_EQ(double(d(8 - i, 11 - j)), double(once(0, j)));
        }
    }
}

TEST(product, narrow_operands_with_a_float_result) {
    const auto a = whole_matrix<bf16>(50, 60, 8, 1);
    const auto b = whole_matrix<bf16>(60, 70, 8, 2);
    matrix<float> c(50, 70), e(50, 70);
    e(3, 4) = 0.25f;
    matrix_product(a, b, e, c);
    EXPECT_EQ(c(3, 4), float(0.25 + test::sums(a, b)(3, 4)));
}

// A std::mdspan from another library.
struct foreign_span {
    using element_type = double;
    using reference = double&;
    static constexpr unsigned rank() { return 2; }
    [[nodiscard]] int extent(unsigned) const { return 2; }
    [[nodiscard]] int stride(unsigned r) const { return r == 0 ? 1 : 2; }
    [[nodiscard]] double* data_handle() const { return data; }
    double* data;
};

TEST(product, foreign_mdspans_are_matrices) {
    std::array<double, 4> a = {1, 2, 3, 4}, c{};
    matrix_product(foreign_span{a.data()}, foreign_span{a.data()}, foreign_span{c.data()});
    EXPECT_EQ(c, (std::array<double, 4>{7, 10, 15, 22}));
}

// Rows of `any` elements where there is one row, and columns likewise.
template <class T>
matrix_view<T> with_strides(matrix<T>& m, std::ptrdiff_t any) {
    return {m.data(), m.rows(), m.cols(),
            m.rows() > 1 ? static_cast<std::ptrdiff_t>(m.cols()) : any, m.cols() > 1 ? 1 : any};
}

template <class In, class Out>
void expect_same_at_any_stride(std::size_t m, std::size_t n, std::size_t k) {
    matrix<In> a = whole_matrix<In>(m, k, 3, 1), b = whole_matrix<In>(k, n, 3, 2);
    matrix<Out> e = whole_matrix<Out>(m, n, 3, 3), c(m, n), wanted(m, n);
    matrix_product(a, b, e, wanted);
    using limits = std::numeric_limits<std::ptrdiff_t>;
    for (const std::ptrdiff_t any : {limits::max(), limits::min(), limits::max() / 16 + 1}) {
        poison(c);
        matrix_product(with_strides(a, any), with_strides(b, any), with_strides(e, any),
                       with_strides(c, any));
        EXPECT_TRUE(same_values(c, wanted)) << m << " x " << n << " x " << k << " at " << any;
    }
}

// They were multiplied nevertheless: undefined behaviour, which only a sanitizer sees.
TEST(product, strides_of_a_single_row_or_column_may_be_anything) {
    constexpr std::size_t shapes[][3] = {{1, 1, 1},    {1, 40, 30},  {40, 1, 30},   {40, 30, 1},
                                         {1, 700, 90}, {700, 1, 90}, {300, 400, 1}, {5, 7, 0}};
    for (const auto& [m, n, k] : shapes) {
        expect_same_at_any_stride<double, double>(m, n, k);
        expect_same_at_any_stride<float, float>(m, n, k);
        expect_same_at_any_stride<bf16, float>(m, n, k);
        expect_same_at_any_stride<std::int8_t, std::int32_t>(m, n, k);
        expect_same_at_any_stride<std::int32_t, std::int32_t>(m, n, k);
    }
}

// One NaN in A belongs to one row of C, one in B to one column, whatever the padding of tiles.
TEST(product, nan_and_infinity_reach_exactly_where_they_belong) {
    for (const std::size_t size : {5u, 33u, 170u}) {
        matrix<double> a(size, size), b(size, size), c(size, size);
        for (std::size_t i = 0; i < size * size; ++i) a.data()[i] = b.data()[i] = 1;
        a(size - 1, size / 2) = std::numeric_limits<double>::quiet_NaN();
        b(size / 2, 0) = std::numeric_limits<double>::infinity();
        b(size / 2 + 1, 1) = std::numeric_limits<double>::infinity();
        a(0, size / 2 + 1) = 0;
        matrix_product(a, b, c);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) {
                const bool nan = i + 1 == size || (i == 0 && j == 1);
                EXPECT_EQ(std::isnan(c(i, j)), nan) << i << ", " << j << " of " << size;
                EXPECT_EQ(std::isinf(c(i, j)), !nan && j <= 1) << i << ", " << j;
            }
        }
    }
}

}  // namespace
