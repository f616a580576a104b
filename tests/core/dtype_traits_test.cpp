// Compares the stated properties of each element type with the type itself.
#include "core/dtype_traits.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <set>

#include <carat/error.hpp>

#include "core/problem.hpp"

namespace {

using namespace carat;

double as_stored(dtype type, double x) {
    return core::visit(type, [&]<class T>(core::element_tag<T>) {
        return static_cast<double>(static_cast<T>(x));
    });
}

TEST(dtype_traits, the_visitor_finds_the_type_of_each_dtype) {
    std::set<std::string_view> names;
    for (const dtype type : all_dtypes) {
        names.insert(name(type));
        core::visit(type, [&]<class T>(core::element_tag<T>) {
            EXPECT_EQ(dtype_of_v<T>, type);
            EXPECT_EQ(sizeof(T) * 8, static_cast<std::size_t>(traits_of(type).bits)) << name(type);
            EXPECT_EQ(sizeof(T), size_bytes(type));
        });
    }
    EXPECT_EQ(names.size(), all_dtypes.size());
}

TEST(dtype_traits, floating_types_are_as_their_rows_say) {
    for (const dtype type : all_dtypes) {
        if (!is_floating(type)) continue;
        SCOPED_TRACE(name(type));
        const dtype_traits& t = traits_of(type);
        EXPECT_EQ(as_stored(type, t.largest), t.largest);
        EXPECT_EQ(as_stored(type, t.lowest), t.lowest);
        // One step above 1, and half of it, which is rounded away.
        const double step = 2 * core::unit_roundoff(type);
        EXPECT_EQ(as_stored(type, 1 + step), 1 + step);
        EXPECT_EQ(as_stored(type, 1 + step / 2), 1);
        // The least number of all: one digit of the least normal one.
        const double least = core::power_of_two(t.least_exponent - t.significand_bits + 1);
        EXPECT_EQ(as_stored(type, least), least);
        EXPECT_EQ(as_stored(type, least * 3 / 8), 0);
    }
}

TEST(dtype_traits, integers_are_as_their_rows_say) {
    for (const dtype type : all_dtypes) {
        if (!is_integer(type)) continue;
        SCOPED_TRACE(name(type));
        EXPECT_EQ(as_stored(type, traits_of(type).largest), traits_of(type).largest);
        EXPECT_EQ(as_stored(type, traits_of(type).lowest), traits_of(type).lowest);
        EXPECT_EQ(traits_of(type).largest,
                  core::power_of_two(traits_of(type).significand_bits) - 1);
        core::visit_integers(type, [&]<class T>(core::element_tag<T>) {
            EXPECT_EQ(dtype_of_v<T>, type);
            EXPECT_EQ(traits_of(type).lowest, static_cast<double>(std::numeric_limits<T>::min()));
        });
    }
}

TEST(dtype_traits, sums_hold_what_is_summed) {
    for (const dtype type : all_dtypes) {
        const dtype sums = core::accumulator_of(type);
        EXPECT_EQ(is_integer(sums), is_integer(type)) << name(type);
        EXPECT_GE(traits_of(sums).bits, traits_of(type).bits) << name(type);
        EXPECT_EQ(core::accumulator_of(sums), sums) << name(type);
    }
}

TEST(dtype_traits, bytes_are_counted_for_whole_ranges_of_elements) {
    EXPECT_EQ(core::checked_bytes(dtype::f64, 3, "x"), 24);
    EXPECT_EQ(core::checked_bytes(dtype::e4m3, 7, "x"), 7);
    EXPECT_THROW((void)core::checked_bytes(dtype::f64, std::int64_t{1} << 61, "x"), error);
    EXPECT_EQ(core::bytes_of(dtype::bf16, 5), 10);
}

}  // namespace
