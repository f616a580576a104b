// The precision of f32 products if another one is requested.
#include <bit>
#include <cstdlib>

#include "tests/gpu_call/one_product.hpp"
#include "tests/verify/fp8_unit.hpp"

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
                test::skip_without(as);
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
    test::skip_without(as);
    mirrored<float> a(n, k, {std::ptrdiff_t(k), 1});
    mirrored<float> b(k, n, {std::ptrdiff_t(n), 1});
    mirrored<float> c(n, n, {std::ptrdiff_t(n), 1});
    a.fill([](std::size_t i, std::size_t j) { return std::fabs(test::random(1, i, j)); });
    b.fill([](std::size_t i, std::size_t j) { return std::fabs(test::random(2, i, j)); });
    c.upload();
    matrix_product(cuda{.f32 = as}, a.view(), b.view(), c.view());
    c.download();
    const test::sums exact(a.host(), b.host());
    double most = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            most = std::fmax(
                most, std::fabs(static_cast<double>(c.here(i, j)) - exact(i, j)) / exact(i, j));
    return most;
}

// Bounds: K + 1 roundings to f32; three products of split numbers lose 2^-21 of each operand, and
// sums are truncated (lab/verify); tf32 rounds each operand to 11 bits.
TEST_F(gpu_accuracy, each_is_as_near_as_it_says_and_no_nearer_than_it_must) {
    constexpr std::size_t k = 700;
    const double terms = k + 1;
    const double f32 = worst(f32_as::f32, 96, k);
    const double halves = worst(f32_as::three_tf32, 96, k);
    const double tf32 = worst(f32_as::tf32, 96, k);
    EXPECT_LE(f32, terms * 0x1p-24);
    EXPECT_LE(halves, 3 * terms * 0x1p-23 + 0x1p-20);
    EXPECT_LE(tf32, terms * 0x1p-23 + 0x1p-9);
    // Otherwise another precision was used: 3xTF32 loses less than f32's own sums in practice, tf32
    // more.
    EXPECT_LT(halves, 0x1p-18);
    EXPECT_GT(tf32, 8 * halves);
    EXPECT_NE(f32, halves);
}

// The small part of a number below 2^-104 loses bits, as accuracy.hpp says. One product each, so
// that no error hides in a sum.
TEST_F(gpu_accuracy, of_halves_holds_from_2_to_the_minus_104_on) {
    constexpr std::size_t n = 64;
    test::skip_without(f32_as::three_tf32);
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

// x times 1/2 in tf32, where x is A's only nonzero element: in a product whose operands TMA loads,
// and in a batch that kernels read unpacked.
float half_of(float x, std::size_t n, std::size_t count) {
    test::skip_without(f32_as::tf32);
    mirrored<float> a(n * count, n, {std::ptrdiff_t(n), 1});
    mirrored<float> b(n * count, n, {std::ptrdiff_t(n), 1});
    mirrored<float> c(n * count, n, {std::ptrdiff_t(n), 1});
    a.fill([&](std::size_t i, std::size_t j) { return i % n == 1 && j == 2 ? x : 0; });
    b.fill([&](std::size_t i, std::size_t j) { return i % n == 2 && j == 3 ? 0.5 : 0; });
    c.upload();
    const auto all = [&](auto& of) {
        return strided(of.view().block(0, 0, n, n), count, std::ptrdiff_t(n * n));
    };
    const cuda where{.f32 = f32_as::tf32};
    if (count == 1)
        matrix_product(where, a.view(), b.view(), c.view());
    else
        matrix_products(where, all(a), all(b), all(c));
    return static_cast<float>(c.download().here(1, 3));
}

TEST_F(gpu_accuracy, numbers_at_the_ends_of_the_range_round_alike_on_every_path) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const auto& [n, count] :
         {std::pair(64, 1), std::pair(1024, 1), std::pair(64, 256), std::pair(61, 256)}) {
        SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(n));
        const auto half = [&](float x) {
            return half_of(x, static_cast<std::size_t>(n), static_cast<std::size_t>(count));
        };
        EXPECT_EQ(half(std::numeric_limits<float>::max()), infinity);
        EXPECT_EQ(half(-std::numeric_limits<float>::max()), -infinity);
        EXPECT_EQ(half(0x1.ffdp127f), 0x1.ffcp126f);
        EXPECT_EQ(half(0x1.003p0f), 0x1.004p-1f);
        EXPECT_EQ(half(0x1p-130f), 0x1p-131f);
        EXPECT_EQ(half(infinity), infinity);
        EXPECT_TRUE(std::isnan(half(std::numeric_limits<float>::quiet_NaN())));
        EXPECT_TRUE(std::isnan(half(std::bit_cast<float>(0x7f800001u)))) << "a signaling NaN";
    }
}

// Kernels of mma multiply fp8 by mma.sync, which Hopper does in f16, with sums of f32.
bool sums_as_wgmma() {
    return std::getenv("CARAT_FORCE_FAMILY") == nullptr;
}

// The model of docs/adr/0068 and lab/verify: 13 bits below the exponents of the largest term's
// operands count, where a subnormal e4m3 has that of 2^-6.
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
    const auto if_cut = [](double cut, double exact) { return sums_as_wgmma() ? cut : exact; };
    EXPECT_EQ(sum_of(0x1p-6, 0x1p5, 0x1p-7, 0x1p-7), 0.5 + 0x1p-14) << "of normal numbers";
    EXPECT_EQ(sum_of(0x1p-6, 0x1p5, 0x1p-8, 0x1p-7), if_cut(0.5, 0.5 + 0x1p-15))
        << "of normal numbers";
    EXPECT_EQ(sum_of(0x1p-9, 0x1p8, 0x1p-6, 0x1p-5), 0.5 + 0x1p-11);
    EXPECT_EQ(sum_of(0x1p-9, 0x1p8, 0x1p-6, 0x1p-6), if_cut(0.5, 0.5 + 0x1p-12));
}

// A product's sum by wgmma: the tensor cores alone sum up to one block of K, and every bit is
// theirs.
template <class A>
float summed_by_wgmma(mirrored<A>& a, mirrored<e4m3>& b, std::size_t i, std::size_t j,
                      std::size_t k) {
    return test::fp8_sum(static_cast<std::int64_t>(k), true, [&](auto q) {
        const auto t = static_cast<std::size_t>(q);
        return test::fp8_product_of(a.here(i, t), b.here(t, j));
    });
}

// Whether it is as near the exact sum as products of f16, which are exact, and sums that each lose
// at most a unit in the last place of f32. C rounds once more.
template <class C>
bool is_near_sum_of_f16(double got, double sum, double magnitude, std::size_t k, double alpha) {
    const double exact = double{static_cast<float>(alpha)} * sum;
    const double lost_by_c = std::is_same_v<C, float> ? 0x1p-24 : 0x1p-11;
    const double least = std::is_same_v<C, float> ? 0x1p-149 : 0x1p-24;
    const double lost = static_cast<double>(k + 1) * 0x1p-23 * std::fabs(alpha) * magnitude;
    return std::fabs(got - exact) <= lost + lost_by_c * (std::fabs(exact) + lost) + least;
}

// Alpha and the rounding to C's type follow the sum.
template <class A, class C>
void check_fp8_bits(std::size_t k, double alpha) {
    constexpr std::size_t m = 49, n = 134;
    mirrored<A> a(m, k, {std::ptrdiff_t(k), 1});
    mirrored<e4m3> b(k, n, {std::ptrdiff_t(n), 1});
    mirrored<C> c(m, n, {std::ptrdiff_t(n), 1});
    // Exponents from -6 to 6, zeros, and numbers that are subnormal in e4m3.
    const auto wide = [&](unsigned of, std::size_t i, std::size_t j) {
        const std::uint64_t bits = test::bits_for(of, i, j);
        if (bits % 11 == 0) return 0.0;
        return std::ldexp(test::random(of, i, j), static_cast<int>(bits % 13) - 6);
    };
    a.fill([&](std::size_t i, std::size_t j) { return wide(5, i, j); });
    b.fill([&](std::size_t i, std::size_t j) { return wide(6, i, j); });
    c.upload();
    matrix_product(cuda{}, scaled(alpha, a.view()), b.view(), c.view());
    c.download();
    const test::sums exact(a.host(), b.host());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const auto got = double{c.here(i, j)};
            const bool is_right =
                sums_as_wgmma()
                    ? got == double{C(static_cast<float>(alpha) * summed_by_wgmma(a, b, i, j, k))}
                    : is_near_sum_of_f16<C>(got, exact(i, j), exact.magnitude(i, j), k, alpha);
            wrong += is_right ? 0U : 1U;
        }
    EXPECT_EQ(wrong, 0U) << name(dtype_of_v<A>) << " into " << name(dtype_of_v<C>) << ", K = " << k;
}

TEST_F(gpu_accuracy, fp8_has_the_bits_of_the_tensor_cores) {
    for (const std::size_t k : {1U, 2U, 3U, 5U, 8U, 31U, 32U, 33U, 64U, 100U, 128U})
        for (const double alpha : {1.0, 2.77}) {
            check_fp8_bits<e4m3, float>(k, alpha);
            check_fp8_bits<e5m2, float>(k, alpha);
            check_fp8_bits<e5m2, f16>(k, alpha);
        }
}

}  // namespace
