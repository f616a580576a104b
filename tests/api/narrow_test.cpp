// f16 and bf16: every value survives, sums are in f32, and the result is rounded once, to nearest,
// ties to even.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "core/isa.hpp"
#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

template <class T>
class narrow : public testing::Test {};
using narrow_types = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(narrow, narrow_types);

template <class T>
T from_bits(unsigned bits) {
    T value;
    value.bits = static_cast<std::uint16_t>(bits);
    return value;
}

// What a product makes of an f32 value: tiles treat subnormal bf16 operands and sums as zeros.
// Elsewhere, and for f16, it is the value itself.
template <class T>
double kept(double x) {
    const auto* const unit = cpu_engine::kernels_for(core::isa_in_use()).matrix_unit;
    const bool flushes = std::is_same_v<T, bf16> && unit != nullptr &&
                         unit->find(dtype::bf16, dtype::bf16) != nullptr;
    return flushes && std::abs(x) < 0x1p-126 ? 0 : x;
}

// The same value, or both NaN.
template <class T>
bool same_value(T x, T y) {
    return std::isnan(double(x)) ? std::isnan(double(y)) : double(x) == double(y);
}

// All 65536 values times 1, with rows of A contiguous and not: widening and narrowing are exact.
TYPED_TEST(narrow, every_value_survives_a_product_with_one) {
    using T = TypeParam;
    matrix<T> all(256, 256), one(1, 1), c(65536, 1);
    matrix<float> wide(65536, 1);
    for (unsigned bits = 0; bits <= 0xffff; ++bits) all.data()[bits] = from_bits<T>(bits);
    one(0, 0) = T(1.0);
    matrix_product(matrix_view<T>(all.data(), 65536, 1), one, c);
    matrix_product(matrix_view<T>(all.data(), 65536, 1), one, wide);
    for (unsigned bits = 0; bits <= 0xffff; ++bits) {
        const double value = kept<T>(double(from_bits<T>(bits)));
        ASSERT_TRUE(same_value(double(c(bits, 0)), value)) << bits;
        ASSERT_TRUE(same_value(double(wide(bits, 0)), value)) << bits;
    }
    matrix<T> identity(256, 256), copy(256, 256);
    for (std::size_t i = 0; i < 256; ++i) {
        identity(i, i) = T(1.0);
        for (std::size_t j = 0; j < 256; ++j)
            if (!std::isfinite(double(all(i, j)))) all(i, j) = T(0.0);
    }
    matrix_product(transposed(all), identity, transposed(copy));
    for (unsigned bits = 0; bits <= 0xffff; ++bits)
        ASSERT_TRUE(same_value(double(copy.data()[bits]), kept<T>(double(all.data()[bits]))))
            << bits;
}

// A product of two narrow values is exact in f32, so C must be the nearest narrow value.
TYPED_TEST(narrow, products_are_rounded_once_to_the_nearest) {
    using T = TypeParam;
    std::mt19937 engine(3);
    std::uniform_int_distribution<unsigned> any(0, 0xffff);
    matrix<T> column(300, 1), row(1, 301), c(300, 301);
    for (std::size_t i = 0; i < 300; ++i) column(i, 0) = from_bits<T>(any(engine));
    for (std::size_t j = 0; j < 301; ++j) row(0, j) = from_bits<T>(any(engine));
    matrix_product(column, row, c);
    for (std::size_t i = 0; i < 300; ++i) {
        for (std::size_t j = 0; j < 301; ++j) {
            // Goes through float, like the engine: a product of two bf16 may exceed its range.
            const auto product =
                static_cast<float>(kept<T>(double(column(i, 0))) * kept<T>(double(row(0, j))));
            ASSERT_TRUE(same_value(c(i, j), T(kept<T>(double(product)))))
                << double(column(i, 0)) << " * " << double(row(0, j));
        }
    }
}

// Sums of whole numbers below 2^24 are exact in f32 and rarely fit in the result: ties, overflow to
// infinity, and with a small alpha subnormals.
TYPED_TEST(narrow, exact_sums_are_rounded_once) {
    using T = TypeParam;
    int executed = 0;
    for (const double alpha : {1.0, 8.0, 0x1p-24, 0x1p-30}) {
        for (const double beta : {0.0, 1.0}) {
            for (const std::size_t k : {1u, 40u, 700u}) {
                const auto a = test::whole_matrix<T>(70, k, 31, 1);
                const auto b = test::whole_matrix<T>(k, 90, 31, 2);
                const auto e = test::whole_matrix<T>(70, 90, 200, 3);
                matrix<T> c = e;
                const double add = alpha < 1 ? 0 : beta;
                matrix_product(cpu{2}, scaled(alpha, a), b, scaled(add, c), c);
                const test::sums product(a, b);
                ASSERT_EQ(
                    test::wrong_in(c,
                                   [&](std::size_t i, std::size_t j) {
                                       return T(alpha * product(i, j) + add * double(e(i, j)));
                                   }),
                    "")
                    << alpha << " " << beta << " " << k;
                ++executed;
            }
        }
    }
    EXPECT_EQ(executed, 24);
}

// More than one rectangle of sums, and k of several blocks: still one rounding.
TYPED_TEST(narrow, large_products_are_rounded_once) {
    using T = TypeParam;
    const std::size_t m = 1100;
    const std::size_t n = 1050;
    const auto a = test::whole_matrix<T>(m, 1030, 3, 1);
    const auto b = test::whole_matrix<T>(1030, n, 3, 2);
    matrix<T> c(m, n);
    matrix<float> exact(m, n);
    matrix_product(a, b, c);
    matrix_product(a, b, exact);
    ASSERT_EQ(
        test::wrong_in(c, [&](std::size_t i, std::size_t j) { return T(double(exact(i, j))); }),
        "");
}

}  // namespace
