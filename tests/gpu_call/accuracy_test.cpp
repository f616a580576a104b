// What products of f32 are computed in, where that is asked for.
#include "tests/gpu_call/one_product.hpp"

namespace {

using namespace carat;
using test::mirrored;
using test::one_product;
using test::shape;
using test::shapes;

class gpu_accuracy : public test::gpu_test {};

TEST_F(gpu_accuracy, whole_numbers_of_eleven_bits_are_exact_in_all) {
    unsigned count = 0;
    for (const f32_as as : {f32_as::f32, f32_as::three_tf32, f32_as::tf32})
        for (const shape& s : shapes)
            for (const bool invariant : {false, true}) {
                one_product<float, float> p(s, ++count);
                p.start(cuda{.batch_invariant = invariant, .f32 = as});
                ASSERT_EQ(p.check([](double x, std::size_t, std::size_t) { return x; }), "")
                    << p.text();
                one_product<float, bf16> q(s, count);
                q.start(cuda{.f32 = as}, relu | scale(2.0));
                ASSERT_EQ(
                    q.check([](double x, std::size_t, std::size_t) { return 2 * std::fmax(0, x); }),
                    "")
                    << q.text();
            }
    EXPECT_EQ(count, 6 * std::size(shapes));
}

// The largest |C - exact| / (|A| |B|) of positive numbers, which no error of opposite sign hides.
double worst(f32_as as, std::size_t n, std::size_t k) {
    mirrored<float> a(n, k, {std::ptrdiff_t(k), 1});
    mirrored<float> b(k, n, {std::ptrdiff_t(n), 1});
    mirrored<float> c(n, n, {std::ptrdiff_t(n), 1});
    a.fill([](std::size_t i, std::size_t j) { return std::fabs(test::random(1, i, j)); });
    b.fill([](std::size_t i, std::size_t j) { return std::fabs(test::random(2, i, j)); });
    c.upload();
    matrix_product(cuda{.f32 = as}, a.view(), b.view(), c.view());
    c.download();
    double most = 0;
    for (std::size_t i = 0; i < n; i += 3)
        for (std::size_t j = 0; j < n; ++j) {
            double exact = 0;
            for (std::size_t t = 0; t < k; ++t)
                exact += static_cast<double>(a.here(i, t)) * static_cast<double>(b.here(t, j));
            most = std::fmax(most, std::fabs(static_cast<double>(c.here(i, j)) - exact) / exact);
        }
    return most;
}

// Bounds: K + 1 roundings to f32; of three products of halves 2^-21 is lost of each operand and
// sums are cut, not rounded (lab/verify); tf32 rounds each operand to 11 bits.
TEST_F(gpu_accuracy, each_is_as_near_as_it_says_and_no_nearer_than_it_must) {
    constexpr std::size_t k = 700;
    const double terms = k + 1;
    const double f32 = worst(f32_as::f32, 96, k);
    const double halves = worst(f32_as::three_tf32, 96, k);
    const double tf32 = worst(f32_as::tf32, 96, k);
    EXPECT_LE(f32, terms * 0x1p-24);
    EXPECT_LE(halves, 3 * terms * 0x1p-23 + 0x1p-20);
    EXPECT_LE(tf32, terms * 0x1p-23 + 0x1p-9);
    // Else one of them is another: halves lose less than f32's own sums in practice, tf32 more.
    EXPECT_LT(halves, 0x1p-18);
    EXPECT_GT(tf32, 8 * halves);
    EXPECT_NE(f32, halves);
}

// The small half of a number below 2^-104 loses bits, as accuracy.hpp says. One product each, so
// that no error hides in a sum.
TEST_F(gpu_accuracy, of_halves_holds_from_2_to_the_minus_104_on) {
    constexpr std::size_t n = 64;
    const auto error_at = [&](int exponent) {
        mirrored<float> a(n, 1, {1, 1});
        mirrored<float> b(1, n, {std::ptrdiff_t(n), 1});
        mirrored<float> c(n, n, {std::ptrdiff_t(n), 1});
        a.fill([&](std::size_t i, std::size_t j) {
            return std::ldexp(1 + std::fabs(test::random(1, i, j)), exponent);
        });
        b.fill([](std::size_t i, std::size_t j) {
            return std::ldexp(1 + std::fabs(test::random(2, i, j)), 100);
        });
        c.upload();
        matrix_product(cuda{.f32 = f32_as::three_tf32}, a.view(), b.view(), c.view());
        c.download();
        double most = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                const double exact =
                    static_cast<double>(a.here(i, 0)) * static_cast<double>(b.here(0, j));
                most = std::fmax(most, std::fabs(static_cast<double>(c.here(i, j)) / exact - 1));
            }
        RecordProperty("error_at_" + std::to_string(-exponent), std::to_string(most * 0x1p20));
        return most;
    };
    for (const int exponent : {-103, -106, -108, -110, -112, -114, -116, -118})
        (void)error_at(exponent);
    EXPECT_LE(error_at(-60), 0x1p-20);
    EXPECT_LE(error_at(-104), 0x1p-20);
    EXPECT_GT(error_at(-122), 0x1p-18) << "accuracy.hpp promises too little";
}

// The model of docs/adr/0068 and lab/verify: of the largest term 13 bits count, and where they end
// the exponents of its operands say, which of a subnormal e4m3 is that of 2^-6.
TEST_F(gpu_accuracy, sums_of_fp8_are_cut_below_the_exponents_of_subnormal_numbers) {
    const auto sum_of = [](double x, double y, double other_x, double other_y) {
        mirrored<e4m3> a(16, 32, {32, 1});
        mirrored<e4m3> b(32, 16, {1, 32});
        mirrored<float> c(16, 16, {16, 1});
        a.fill([&](std::size_t, std::size_t t) { return t == 0 ? x : t == 1 ? other_x : 0; });
        b.fill([&](std::size_t t, std::size_t) { return t == 0 ? y : t == 1 ? other_y : 0; });
        c.upload();
        matrix_product(cuda{}, a.view(), b.view(), c.view());
        return static_cast<double>(c.download().here(3, 5));
    };
    EXPECT_EQ(sum_of(0x1p-6, 0x1p5, 0x1p-7, 0x1p-7), 0.5 + 0x1p-14) << "of normal numbers";
    EXPECT_EQ(sum_of(0x1p-6, 0x1p5, 0x1p-8, 0x1p-7), 0.5) << "of normal numbers";
    EXPECT_EQ(sum_of(0x1p-9, 0x1p8, 0x1p-6, 0x1p-5), 0.5 + 0x1p-11);
    EXPECT_EQ(sum_of(0x1p-9, 0x1p8, 0x1p-6, 0x1p-6), 0.5);
}

}  // namespace
