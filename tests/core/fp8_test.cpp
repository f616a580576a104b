// e4m3 and e5m2 for all 256 codes, and rounding against a search through them: the nearest code,
// the even one of two as near, what the specification says of overflow.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include <carat/types.hpp>

namespace {

using carat::e4m3;
using carat::e5m2;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
T from_bits(unsigned bits) {
    T value;
    value.bits = static_cast<std::uint8_t>(bits);
    return value;
}

// What a code stands for, straight from the specification's table: (-1)^s 2^(e - bias) 1.m.
template <class T>
double meaning(unsigned bits) {
    constexpr bool is_e4m3 = std::is_same_v<T, e4m3>;
    constexpr int mantissa_bits = is_e4m3 ? 3 : 2;
    constexpr int bias = is_e4m3 ? 7 : 15;
    const double sign = (bits & 0x80u) != 0 ? -1 : 1;
    const int exponent = static_cast<int>((bits & 0x7fu) >> mantissa_bits);
    const unsigned mantissa = bits & ((1u << mantissa_bits) - 1u);
    if (is_e4m3 && (bits & 0x7fu) == 0x7fu) return nan;
    if (!is_e4m3 && exponent == 31) return mantissa == 0 ? sign * inf : nan;
    const double fraction = std::ldexp(mantissa, -mantissa_bits);
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
    return sign * std::ldexp(1 + fraction, exponent - bias);
}

template <class T>
constexpr unsigned largest = std::is_same_v<T, e4m3> ? 0x7e : 0x7b;

// The code of the nearest finite value, found by looking at all; beyond the last midpoint, or on it
// where that would round away, the code of overflow.
template <class T>
unsigned nearest(double value, unsigned overflow) {
    if (std::isnan(value)) return 0x7f;
    const unsigned sign = std::signbit(value) ? 0x80u : 0u;
    const double magnitude = std::fabs(value);
    const double last = meaning<T>(largest<T>);
    const double half_step = (last - meaning<T>(largest<T> - 1)) / 2;
    const bool even = largest<T> % 2 == 0;
    if (magnitude > last + half_step || (magnitude == last + half_step && !even))
        return sign | overflow;
    unsigned best = 0;
    for (unsigned code = 1; code <= largest<T>; ++code) {
        const double closer = std::fabs(meaning<T>(code) - magnitude);
        const double so_far = std::fabs(meaning<T>(best) - magnitude);
        if (closer < so_far || (closer == so_far && code % 2 == 0)) best = code;
    }
    return sign | best;
}

template <class T>
constexpr unsigned overflow_code = std::is_same_v<T, e4m3> ? 0x7f : 0x7c;

template <class T>
class fp8 : public testing::Test {};
using both = testing::Types<e4m3, e5m2>;
TYPED_TEST_SUITE(fp8, both);

TYPED_TEST(fp8, every_code_means_what_the_specification_says_and_survives) {
    int numbers = 0;
    for (unsigned bits = 0; bits < 256; ++bits) {
        const double wide{from_bits<TypeParam>(bits)};
        const double expected = meaning<TypeParam>(bits);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(wide)) << bits;
            EXPECT_TRUE(std::isnan(double{TypeParam{wide}})) << bits;
            EXPECT_TRUE(std::isnan(double{TypeParam::saturated(wide)})) << bits;
            continue;
        }
        ++numbers;
        EXPECT_EQ(wide, expected) << bits;
        EXPECT_EQ(std::signbit(wide), bits >= 128) << bits;
        EXPECT_EQ(TypeParam{wide}.bits, bits);
        EXPECT_EQ(static_cast<double>(static_cast<float>(from_bits<TypeParam>(bits))), wide);
        if (std::isfinite(wide)) {
            EXPECT_EQ(TypeParam::saturated(wide).bits, bits);
        }
    }
    EXPECT_EQ(numbers, (std::is_same_v<TypeParam, e4m3> ? 254 : 250));
}

// Every midpoint and its two neighbours among doubles, so that a rounding by way of float or f16
// would fail; then numbers of every magnitude.
TYPED_TEST(fp8, rounds_to_the_nearest_code_ties_to_even) {
    std::vector<double> values = {0, 0x1p-1074, 0x1p-30, 0x1p-17, 0x1p-10, 1e300, inf, nan};
    for (unsigned code = 0; code <= largest<TypeParam>; ++code) {
        const double low = meaning<TypeParam>(code);
        const double high = code == largest<TypeParam> ? 2 * low - meaning<TypeParam>(code - 1)
                                                       : meaning<TypeParam>(code + 1);
        const double middle = (low + high) / 2;
        for (const double at : {low, middle, high})
            for (const double value : {at, std::nextafter(at, 0.0), std::nextafter(at, inf)})
                values.push_back(value);
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 50'000; ++i) {
        const auto fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
        values.push_back(std::ldexp(fraction, static_cast<int>(random() % 44) - 25));
    }
    for (const double magnitude : values)
        for (const double value : {magnitude, -magnitude}) {
            const unsigned overflow = overflow_code<TypeParam>;
            if (std::isnan(value)) {
                EXPECT_TRUE(std::isnan(double{TypeParam{value}}));
                continue;
            }
            ASSERT_EQ(TypeParam{value}.bits, nearest<TypeParam>(value, overflow)) << value;
            ASSERT_EQ(TypeParam::saturated(value).bits,
                      nearest<TypeParam>(value, largest<TypeParam>))
                << value;
        }
}

TEST(e4m3, known_values) {
    EXPECT_EQ(e4m3{448.0}.bits, 0x7e);
    EXPECT_EQ(e4m3{464.0}.bits, 0x7e) << "the tie below what would be 480 goes to the even code";
    EXPECT_EQ(e4m3{465.0}.bits, 0x7f) << "no infinities: overflow is NaN";
    EXPECT_EQ(e4m3{-inf}.bits, 0xff);
    EXPECT_EQ(e4m3::saturated(inf).bits, 0x7e);
    EXPECT_EQ(e4m3::saturated(-1e9).bits, 0xfe);
    EXPECT_EQ(e4m3{1.0}.bits, 0x38);
    EXPECT_EQ(e4m3{0x1p-9}.bits, 0x01);
}

TEST(e5m2, known_values) {
    EXPECT_EQ(e5m2{57344.0}.bits, 0x7b);
    EXPECT_EQ(e5m2{61440.0}.bits, 0x7c) << "the last tie goes up, to infinity";
    EXPECT_EQ(e5m2{-inf}.bits, 0xfc);
    EXPECT_EQ(e5m2::saturated(61440.0).bits, 0x7b);
    EXPECT_EQ(e5m2::saturated(-inf).bits, 0xfb);
    EXPECT_EQ(e5m2{1.0}.bits, 0x3c);
    EXPECT_EQ(e5m2{0x1p-16}.bits, 0x01);
}

// Checked by the compiler too: the conversions are constant expressions.
static_assert(e4m3{0.1}.bits == 0x1d && e5m2{0.1}.bits == 0x2e);

}  // namespace
