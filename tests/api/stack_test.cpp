// No call takes more than 32 KiB of stack, whatever its path: threads of 64 KiB may multiply.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/api/matrices.hpp"
#include "tests/core/small_stack.hpp"

namespace {

using namespace carat;

using test::types;

struct shape {
    std::size_t m, n, k;
};

// Few columns, few rows, one of them, small, in L2, and in blocks.
constexpr shape shapes[] = {{5000, 5, 500}, {7, 1000, 3000}, {900, 8, 1100}, {8, 900, 1100},
                            {3000, 1, 700}, {1, 3000, 700},  {20, 900, 900}, {4, 4, 4},
                            {60, 50, 300},  {150, 140, 130}, {300, 310, 700}};

template <class T>
matrix_view<const T> stored(const matrix<T>& m, bool by_columns) {
    return by_columns ? transposed(m.view()) : m.view();
}

template <class Pair>
class stack_of : public test::stack_test {};

using pairs =
    testing::Types<types<double, double>, types<float, float>, types<f16, f16>, types<f16, float>,
                   types<bf16, bf16>, types<bf16, float>, types<std::int32_t, std::int32_t>,
                   types<std::int8_t, std::int32_t>, types<std::uint8_t, std::int32_t>>;
TYPED_TEST_SUITE(stack_of, pairs);

std::string text(const shape& s) {
    return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k);
}

template <class T>
matrix<T> operand(std::size_t rows, std::size_t cols) {
    const T values[] = {T(0), T(1), T(2)};  // converting each element took as long as the products
    matrix<T> m(rows, cols);
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = values[i % 3];
    return m;
}

TYPED_TEST(stack_of, products) {
    using input = typename TypeParam::in;
    using output = typename TypeParam::out;
    for (const shape& s : shapes)
        for (const int columns : {0, 1, 2, 3, 4, 5, 6, 7}) {
            const bool turns_a = (columns & 1) != 0, turns_b = (columns & 2) != 0;
            const auto a = operand<input>(turns_a ? s.k : s.m, turns_a ? s.m : s.k);
            const auto b = operand<input>(turns_b ? s.n : s.k, turns_b ? s.k : s.n);
            const bool turns_c = (columns & 4) != 0;
            matrix<output> c(turns_c ? s.n : s.m, turns_c ? s.m : s.n);
            const matrix_view<output> in_c = turns_c ? transposed(c.view()) : c.view();
            for (const int threads : {1, 2})
                this->expect_little(text(s) + ", layouts " + std::to_string(columns), [&] {
                    matrix_product(cpu{threads}, stored(a, turns_a), stored(b, turns_b), in_c);
                });
        }
}

TYPED_TEST(stack_of, prepared_operands) {
    using input = typename TypeParam::in;
    using output = typename TypeParam::out;
    if constexpr (!std::is_same_v<input, std::int32_t>) {
        for (const shape& s : shapes) {
            const auto a = operand<input>(s.m, s.k);
            const auto b = operand<input>(s.k, s.n);
            matrix<output> c(s.m, s.n);
            this->expect_little(text(s) + ", B prepared",
                                [&] { matrix_product(a, prepare(b), c); });
            this->expect_little(text(s) + ", A prepared",
                                [&] { matrix_product(prepare(a, side::left), b, c); });
            if constexpr (!std::is_integral_v<input>)
                this->expect_little(text(s) + ", B prepared, finished",
                                    [&] { matrix_product(a, prepare(b), c, gelu); });
        }
    }
}

TYPED_TEST(stack_of, batches_and_groups) {
    using input = typename TypeParam::in;
    using output = typename TypeParam::out;
    std::vector<matrix<input>> as, bs;
    std::vector<matrix<output>> cs;
    for (const shape& s : shapes) {
        as.push_back(operand<input>(s.m, s.k));
        bs.push_back(operand<input>(s.k, s.n));
        cs.emplace_back(s.m, s.n);
        const auto a = operand<input>(3 * s.m, s.k);
        matrix<output> c(3 * s.m, s.n);
        this->expect_little("three of " + text(s), [&] {
            matrix_products(
                strided(a.view().block(0, 0, s.m, s.k), 3, static_cast<std::ptrdiff_t>(s.m * s.k)),
                bs.back(),
                strided(c.view().block(0, 0, s.m, s.n), 3, static_cast<std::ptrdiff_t>(s.m * s.n)));
        });
    }
    this->expect_little("of all sizes",
                        [&] { matrix_products(listed(as), listed(bs), listed(cs)); });
}

}  // namespace
