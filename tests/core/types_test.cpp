// f16 and bf16 against facts of their formats and, for every bit pattern, against a search for the
// nearest representable value.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <carat/types.hpp>

namespace {

using carat::bf16;
using carat::f16;

template <class T>
T from_bits(unsigned bits) {
    T value;
    value.bits = static_cast<std::uint16_t>(bits);
    return value;
}

template <class T>
class narrow_types : public testing::Test {};
using both = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(narrow_types, both);

TYPED_TEST(narrow_types, every_bit_pattern_survives_the_round_trip) {
    int tried = 0;
    for (unsigned bits = 0; bits <= 0xffff; ++bits, ++tried) {
        const double wide{from_bits<TypeParam>(bits)};
        const TypeParam back{wide};
        if (std::isnan(wide)) {
            EXPECT_TRUE(std::isnan(double{back})) << bits;
        } else {
            EXPECT_EQ(back.bits, bits);
            EXPECT_EQ(static_cast<double>(static_cast<float>(from_bits<TypeParam>(bits))), wide);
        }
    }
    EXPECT_EQ(tried, 65536);
}

// Checks midpoints of neighbours: numbers below round down, those above round up, and the midpoint
// goes to the even one. The offset is one double ulp, so rounding through float would fail.
TYPED_TEST(narrow_types, midpoints_round_to_even_and_their_neighbours_do_not) {
    const unsigned infinity = TypeParam{std::numeric_limits<double>::infinity()}.bits;
    for (unsigned bits = 0; bits + 1 < infinity; ++bits) {
        const double low{from_bits<TypeParam>(bits)};
        const double high{from_bits<TypeParam>(bits + 1)};
        const double middle = low / 2 + high / 2;
        const unsigned even = bits % 2 == 0 ? bits : bits + 1;
        EXPECT_EQ(TypeParam{middle}.bits, even);
        EXPECT_EQ(TypeParam{std::nextafter(middle, low)}.bits, bits);
        EXPECT_EQ(TypeParam{std::nextafter(middle, high)}.bits, bits + 1);
        EXPECT_EQ(TypeParam{-middle}.bits, even | 0x8000u);
    }
}

TYPED_TEST(narrow_types, overflow_gives_infinity_only_past_the_last_midpoint) {
    const unsigned infinity = TypeParam{std::numeric_limits<double>::infinity()}.bits;
    const double largest{from_bits<TypeParam>(infinity - 1)};
    const double ulp = largest - double{from_bits<TypeParam>(infinity - 2)};
    EXPECT_EQ(TypeParam{largest + ulp / 2}.bits, infinity);
    EXPECT_EQ(TypeParam{std::nextafter(largest + ulp / 2, 0.0)}.bits, infinity - 1);
    EXPECT_EQ(TypeParam{std::numeric_limits<double>::max()}.bits, infinity);
    EXPECT_EQ(TypeParam{std::numeric_limits<double>::denorm_min()}.bits, 0u);
}

TEST(f16, known_values) {
    EXPECT_EQ(f16{1.0}.bits, 0x3c00);
    EXPECT_EQ(f16{-2.0}.bits, 0xc000);
    EXPECT_EQ(f16{65504.0}.bits, 0x7bff);
    EXPECT_EQ(f16{0x1p-24}.bits, 0x0001);
}

TEST(bf16, known_values) {
    EXPECT_EQ(bf16{1.0}.bits, 0x3f80);
    EXPECT_EQ(bf16{-2.0}.bits, 0xc000);
    EXPECT_EQ(bf16{0x1p-133}.bits, 0x0001);
}

}  // namespace
