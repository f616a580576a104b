// The wording of numbers. assets/format.js follows the same rules; browser_test.py compares them.
#include "lab/report/words.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat::report;

TEST(words, digits_are_four_and_never_an_exponent_for_common_sizes) {
    EXPECT_EQ(digits(0.512), "0.5120");
    EXPECT_EQ(digits(14.2), "14.20");
    EXPECT_EQ(digits(153.72), "153.7");
    EXPECT_EQ(digits(2041.4), "2041");
    EXPECT_EQ(digits(50303), "50303");
    EXPECT_EQ(digits(0), "0");
    EXPECT_EQ(digits(1.5e-7), "1.50e-07");
}

TEST(words, durations_choose_their_unit) {
    EXPECT_EQ(duration(4.561), "4.56 s");
    EXPECT_EQ(duration(0.0123), "12.3 ms");
    EXPECT_EQ(duration(2.64e-4), "264 µs");
    EXPECT_EQ(duration(7.8e-8), "78.0 ns");
    EXPECT_EQ(duration(3e-11), "0.03 ns");
}

TEST(words, ratios_errors_and_counts) {
    EXPECT_EQ(times(1.069), "1.07×");
    EXPECT_EQ(times(14.41), "14.4×");
    EXPECT_EQ(times(126.6), "127×");
    EXPECT_EQ(roundoffs(6.647), "6.65");
    EXPECT_EQ(roundoffs(1.23e7), "1.2e+07");
    EXPECT_EQ(counted(1, "result"), "1 result");
    EXPECT_EQ(counted(0, "result"), "0 results");
    EXPECT_EQ(threads(0), "");
    EXPECT_EQ(shape(2000, 1000, 64), "2000 × 1000 × 64");
}

TEST(words, lists_are_cut_when_long) {
    EXPECT_EQ(listed({}), "");
    EXPECT_EQ(listed({"a"}), "a");
    EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
    EXPECT_EQ(listed({"a", "b", "c", "d", "e"}), "a, b, c, d and e");
    EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f"}), "a, b, c, d and 2 more");
}

}  // namespace
