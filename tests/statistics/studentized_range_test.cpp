// The studentized range against Student's t, a 60-digit double integral, and itself.
#include "lab/statistics/studentized_range.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "fixtures.hpp"

namespace carat::statistics {
namespace {

using test::relative_error;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(studentized_range, equals_students_t_for_two_means) {
    int tried = 0;
    double smallest = 1;
    for (const double df : {1., 1.5, 2., 3., 5., 10., 29., 58.3, 200., 1e4, 1e6, 1e9, 1e12}) {
        const boost::math::students_t student(df);
        for (int exponent = 0; exponent <= 80; ++exponent, ++tried) {
            const double size = 0.9 * std::pow(10, -0.5 * exponent);
            const double t = quantile(complement(student, size / 2));
            const double expected = 2 * cdf(complement(student, t));
            const double found = studentized_range_tail(t * std::numbers::sqrt2, 2, df);
            EXPECT_LT(relative_error(found, expected), 1e-12) << "df " << df << " p " << expected;
            smallest = std::min(smallest, found);
        }
    }
    EXPECT_EQ(tried, 13 * 81);
    EXPECT_LE(smallest, 1e-40);
}

TEST(studentized_range, agrees_with_the_60_digit_integral) {
    int tried = 0;
    double smallest = 1;
    for (const auto& curve : test::load_fixture("studentized_range.json")) {
        const double df = curve["df"].is_string() ? infinity : curve["df"].get<double>();
        for (std::size_t i = 0; i < curve["q"].size(); ++i, ++tried) {
            const double found = studentized_range_tail(curve["q"][i], curve["k"], df);
            EXPECT_LT(relative_error(found, curve["p"][i]), 1e-10) << curve << " at " << i;
            smallest = std::min(smallest, found);
        }
    }
    EXPECT_EQ(tried, 144);
    EXPECT_LE(smallest, 1e-40);
}

TEST(studentized_range, infinite_df_is_the_limit_of_large_df) {
    for (const double q : {0.5, 3.3, 10.0, 25.0}) {
        const double limit = studentized_range_tail(q, 5, infinity);
        EXPECT_LT(relative_error(studentized_range_tail(q, 5, 1e14), limit), 1e-9) << q;
    }
}

TEST(studentized_range, two_means_of_known_variance_are_normal) {
    const double expected = 2 * cdf(complement(boost::math::normal(), 9 / std::numbers::sqrt2));
    EXPECT_LT(relative_error(studentized_range_tail(9, 2, infinity), expected), 1e-12);
}

TEST(studentized_range, falls_with_q_from_1_to_0) {
    for (const std::size_t k : {2U, 4U, 50U}) {
        for (const double df : {1.0, 7.5, 300.0}) {
            EXPECT_EQ(studentized_range_tail(0, k, df), 1);
            EXPECT_EQ(studentized_range_tail(infinity, k, df), 0);
            double previous = 1;
            for (double q = 0.5; q < 1e4; q *= 1.5) {
                const double tail = studentized_range_tail(q, k, df);
                EXPECT_LE(tail, previous) << "k " << k << " df " << df << " q " << q;
                previous = tail;
            }
            EXPECT_LT(previous, 0.01);
        }
    }
}

TEST(studentized_range, quantile_inverts_the_tail) {
    int tried = 0;
    for (const std::size_t k : {2U, 3U, 10U, 20U}) {
        for (const double df : {1.0, 4.4, 58.0, infinity}) {
            for (const double tail : {0.9, 0.05, 0.001, 1e-20}) {
                const double q = studentized_range_quantile(tail, k, df);
                EXPECT_LT(relative_error(studentized_range_tail(q, k, df), tail), 1e-8)
                    << "k " << k << " df " << df << " tail " << tail;
                ++tried;
            }
        }
    }
    EXPECT_EQ(tried, 64);
    // R 4.2.2, qtukey; it promises four digits.
    EXPECT_NEAR(studentized_range_quantile(0.05, 3, 10), 3.87677675, 1e-4);
    EXPECT_NEAR(studentized_range_quantile(0.05, 10, 60), 4.64632397, 1e-4);
    EXPECT_NEAR(studentized_range_quantile(0.01, 5, 20), 5.29325251, 1e-4);
    EXPECT_NEAR(studentized_range_quantile(0.01, 8, 5), 9.66868103, 1e-4);
}

TEST(studentized_range, refuses_what_has_no_meaning) {
    EXPECT_THROW(studentized_range_tail(1, 1, 10), std::invalid_argument);
    EXPECT_THROW(studentized_range_tail(-1, 2, 10), std::invalid_argument);
    EXPECT_THROW(studentized_range_tail(std::nan(""), 2, 10), std::invalid_argument);
    EXPECT_THROW(studentized_range_tail(1, 2, 0), std::invalid_argument);
    EXPECT_THROW(studentized_range_tail(1, 2, std::nan("")), std::invalid_argument);
    EXPECT_THROW(studentized_range_quantile(0, 2, 10), std::invalid_argument);
    EXPECT_THROW(studentized_range_quantile(1, 2, 10), std::invalid_argument);
}

}  // namespace
}  // namespace carat::statistics
