// carat::cpu{.f16 = f16_as::f16_sums}: exact where sums are, within its bound where not, told from
// sums in f32 by their roundings, the same bits by every way to ask for it, and refused in one line
// where it can't be had.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include <carat/batch.hpp>

#include "core/isa.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

constexpr cpu fast = {.f16 = f16_as::f16_sums};

class f16_sums : public testing::Test {
  protected:
    void SetUp() override {
        const std::string why = cpu_engine::why_no_f16_sums(core::isa_in_use());
        if (!why.empty()) GTEST_SKIP() << "NOT TESTED: " << why;
    }
};

// The sum of 2048 and 15 ones at k of one parity loses the ones in f16, one by one.
TEST_F(f16_sums, are_what_is_asked_for_and_nothing_else) {
    matrix<f16> a(1, 32), b(32, 1);
    for (std::size_t p = 0; p < 32; ++p) a(0, p) = f16(p == 0 ? 2048.0 : p % 2 == 0 ? 1.0 : 0.0);
    for (std::size_t p = 0; p < 32; ++p) b(p, 0) = f16(1.0);
    matrix<float> c(1, 1);
    matrix_product(fast, a, b, c);
    EXPECT_EQ(c(0, 0), 2048);
    matrix_product(a, b, c);
    EXPECT_EQ(c(0, 0), 2048 + 15);
    const auto x = test::random_matrix<float>(40, 50, 1);
    const auto y = test::random_matrix<float>(50, 30, 2);
    matrix<float> plain(40, 30), asked(40, 30);
    matrix_product(x, y, plain);
    matrix_product(fast, x, y, asked);
    EXPECT_TRUE(test::same_bits(plain, asked)) << "f32 is not concerned";
}

// Sums of 32 products of whole numbers up to 8 are at most 2048, which f16 holds, as 2 C and E do.
template <class Out>
int check_whole_numbers() {
    int executed = 0;
    for (const std::size_t m : {1u, 11u, 12u, 33u, 70u})
        for (const std::size_t n : {1u, 15u, 17u, 40u})
            for (const std::size_t k : {1u, 2u, 31u, 33u, 64u, 65u, 700u}) {
                const auto a = test::whole_matrix<f16>(m, k, k > 64 ? 1 : 8, 1);
                const auto b = test::whole_matrix<f16>(k, n, k > 64 ? 1 : 8, 2);
                const auto e = test::whole_matrix<Out>(m, n, 9, 3);
                const bool turned = executed % 2 == 1;
                matrix<Out> c(turned ? n : m, turned ? m : n);
                const auto view = turned ? transposed(c.view()) : c.view();
                test::poison(c);
                matrix_product(fast, scaled(-1, a), b, scaled(3, e), view, relu);
                const test::sums product(a, b);
                EXPECT_EQ(test::wrong_in(view,
                                         [&](std::size_t i, std::size_t j) {
                                             return Out(std::max(-product(i, j), 0.0) +
                                                        3 * double(e(i, j)));
                                         }),
                          "")
                    << m << "x" << n << "x" << k;
                ++executed;
            }
    return executed;
}

TEST_F(f16_sums, are_exact_where_f16_holds_them) {
    EXPECT_EQ(check_whole_numbers<float>(), 5 * 4 * 7);
    EXPECT_EQ(check_whole_numbers<f16>(), 5 * 4 * 7);
}

// 32 times 63 is below 2048, up to where f16 counts, and one more is not.
TEST_F(f16_sums, end_after_32_products) {
    for (const std::size_t k : {4096u, 10000u}) {
        matrix<f16> a(3, k), b(k, 20);
        std::fill_n(a.data(), 3 * k, f16(63.0));
        std::fill_n(b.data(), k * 20, f16(1.0));
        matrix<float> c(3, 20);
        matrix_product(fast, a, b, c);
        for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(c(2, j), float(63 * k));
    }
}

// |C - exact| <= (1 + u)^32 (1 + f32's u)^(K/32 + 3) - 1 times |A||B|.
TEST_F(f16_sums, keep_their_bound) {
    constexpr std::size_t m = 50, n = 70, k = 1500;
    auto a = test::random_matrix<f16>(m, k, 1);
    auto b = test::random_matrix<f16>(k, n, 2);
    for (const bool positive : {false, true}) {
        for (std::size_t i = 0; positive && i < m * k; ++i)
            a.data()[i] = f16(std::abs(double(a.data()[i])));
        for (std::size_t i = 0; positive && i < k * n; ++i)
            b.data()[i] = f16(std::abs(double(b.data()[i])));
        matrix<float> c(m, n);
        matrix_product(fast, a, b, c);
        const test::sums exact(a, b);
        double worst = 0;
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
                worst = std::max(worst,
                                 std::abs(double(c(i, j)) - exact(i, j)) / exact.magnitude(i, j));
        EXPECT_LE(worst, std::expm1(32 * 0x1p-11 + (k / 32 + 3) * 0x1p-24));
        EXPECT_GT(worst, 0x1p-15) << "these are not sums in f16";
    }
}

TEST_F(f16_sums, have_the_same_bits_on_any_threads_and_in_batches) {
    const auto a = test::random_matrix<f16>(300, 700, 1);
    const auto b = test::random_matrix<f16>(700, 290, 2);
    matrix<f16> one(300, 290), three(300, 290), batch(300, 290);
    matrix_product(cpu{.threads = 1, .f16 = f16_as::f16_sums}, a, b, one);
    matrix_product(cpu{.threads = 3, .f16 = f16_as::f16_sums}, a, b, three);
    EXPECT_TRUE(test::same_bits(one, three));
    matrix_products(fast, strided(a.view().block(0, 0, 100, 700), 3, 100 * 700), b,
                    strided(batch.view().block(0, 0, 100, 290), 3, 100 * 290));
    matrix<f16> looped(300, 290);
    for (std::size_t i = 0; i < 3; ++i)
        matrix_product(fast, a.view().block(100 * i, 0, 100, 700), b,
                       looped.view().block(100 * i, 0, 100, 290));
    EXPECT_TRUE(test::same_bits(looped, batch));
}

TEST_F(f16_sums, refuse_operands_prepared_for_f32) {
    const auto a = test::random_matrix<f16>(8, 8, 1);
    matrix<f16> c(8, 8);
    test::expect_refusal([&] { matrix_product(fast, a, prepare(a), c); },
                         error_code::invalid_argument,
                         {"matrix_product", "f16_sums", "prepared", "leave .f16 out"});
}

TEST(f16_sums_missing, is_refused_with_c_untouched) {
    if (cpu_engine::why_no_f16_sums(core::isa_in_use()).empty())
        GTEST_SKIP() << "NOT TESTED: this machine has them";
    const auto a = test::random_matrix<f16>(8, 8, 1);
    matrix<f16> c = a;
    test::expect_refusal([&] { matrix_product(fast, a, a, c); }, error_code::unsupported,
                         {"matrix_product", "f16_sums", "has no AVX512-FP16", "leave .f16 out"});
    test::expect_refusal([&] { matrix_products(fast, a, a, strided(c, 1, 0)); },
                         error_code::unsupported, {"matrix_products", "has no AVX512-FP16"});
    EXPECT_TRUE(test::same_bits(a, c));
}

}  // namespace
