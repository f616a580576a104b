// fill(): the same matrix for any layout and number of threads, every type rounded as promised,
// nothing written between the elements.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include <carat/error.hpp>

#include "lab/workload/workload.hpp"
#include "tests/support/refusal.hpp"

namespace carat::workload {
namespace {

template <class T>
class Fill : public testing::Test {};

using element_types =
    testing::Types<double, float, f16, bf16, std::int32_t, std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(Fill, element_types);

template <class T>
T expected(double value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(std::nearbyint(value));
    else
        return static_cast<T>(value);
}

// Sizes around the tiles of fill.cpp (32 x 64), layouts of every kind, one to three threads.
TYPED_TEST(Fill, DependsOnThePlaceAlone) {
    using T = TypeParam;
    const distribution d = uniform(std::is_unsigned_v<T> ? 0 : -100, 100);
    int elements = 0;
    for (const auto& [rows, cols] :
         {std::array<std::int64_t, 2>{1, 1}, {31, 65}, {33, 64}, {70, 130}})
        for (const core::layout& where :
             {core::row_major(cols), core::column_major(rows), core::layout{cols + 5, 1},
              core::layout{1, rows + 3}, core::layout{2 * cols + 1, 2},
              core::layout{3, 3 * rows + 2}})
            for (const int threads : {1, 2, 3}) {
                const auto extent =
                    static_cast<std::size_t>(core::extent_elements(rows, cols, where));
                std::vector<unsigned char> memory((extent + 2) * sizeof(T), 0xa5);
                std::vector<unsigned char> wanted = memory;
                fill(memory.data() + sizeof(T), dtype_of_v<T>, rows, cols, where, d, 5, operand::c,
                     threads);
                for (std::int64_t i = 0; i < rows; ++i)
                    for (std::int64_t j = 0; j < cols; ++j, ++elements) {
                        const T value = expected<T>(value_at(d, 5, operand::c, i, j));
                        const auto at = static_cast<std::size_t>(1 + i * where.row_stride +
                                                                 j * where.col_stride);
                        std::memcpy(wanted.data() + at * sizeof(T), &value, sizeof(T));
                    }
                ASSERT_EQ(memory, wanted) << rows << "x" << cols << " strides " << where.row_stride
                                          << "," << where.col_stride << " threads " << threads;
            }
    EXPECT_EQ(elements, 18 * (1 + 31 * 65 + 33 * 64 + 70 * 130));
}

TEST(FillTypes, IntegersSaturateAndBoundsAreChecked) {
    std::vector<std::int8_t> narrow(4096);
    fill(narrow.data(), dtype::i8, 64, 64, core::row_major(64), normal(0, 1000), 1, operand::a);
    EXPECT_EQ(*std::ranges::max_element(narrow), 127);
    EXPECT_EQ(*std::ranges::min_element(narrow), -128);
    const auto fill_i8 = [&](const distribution& d) {
        fill(narrow.data(), dtype::i8, 8, 8, core::row_major(8), d, 1, operand::a);
    };
    EXPECT_NO_THROW(fill_i8(integers(-128, 127)));
    EXPECT_THROW(fill_i8(integers(-128, 128)), error);
    EXPECT_THROW(fill_i8(uniform(-129, 0)), error);
    std::vector<std::uint8_t> bytes(64);
    const auto fill_u8 = [&](const distribution& d) {
        fill(bytes.data(), dtype::u8, 8, 8, core::row_major(8), d, 1, operand::a);
    };
    EXPECT_NO_THROW(fill_u8(integers(0, 255)));
    EXPECT_THROW(fill_u8(integers(0, 256)), error);
    EXPECT_THROW(fill_u8(integers(-1, 5)), error);
}

// f16 had infinities in their place, fp8 the ends of its range.
TEST(FillTypes, ValuesBeyondATypeAreRefused) {
    std::vector<double> memory(4096);
    const auto refusal = [&](dtype type, const distribution& d) {
        return test::refusal_of(
            [&] { fill(memory.data(), type, 64, 64, core::row_major(64), d, 1, operand::a); },
            error_code::invalid_argument);
    };
    EXPECT_EQ(refusal(dtype::f16, uniform(0, 1e5)),
              "distribution uniform(0,100000) has values beyond f16, which holds -65504 to 65504: "
              "choose a narrower one");
    EXPECT_EQ(refusal(dtype::f16, integers(-65504, 65504)), "");
    for (const dtype type : {dtype::e4m3, dtype::e5m2, dtype::bf16, dtype::f32}) {
        const double most = type == dtype::e4m3 ? 448 : type == dtype::e5m2 ? 57344 : 0x1.fep127;
        EXPECT_EQ(refusal(type, uniform(-most, most)), "") << name(type);
        EXPECT_NE(refusal(type, uniform(-most * 1.01, 0)), "") << name(type);
    }
    EXPECT_EQ(refusal(dtype::f16, normal(0, 1000)), "");
    EXPECT_NE(refusal(dtype::f16, normal(0, 1e5)), "");
    EXPECT_EQ(refusal(dtype::f16, ill_conditioned(2)), "");
    EXPECT_NE(refusal(dtype::f16, ill_conditioned(6)), "");
    EXPECT_NE(refusal(dtype::f32, ill_conditioned(40)), "");
    EXPECT_EQ(refusal(dtype::f64, ill_conditioned(50)), "");
    EXPECT_EQ(refusal(dtype::e4m3, normal(0, 1000)), "") << "becomes the nearest end";
}

TEST(FillTypes, ZerosAndEmptyMatrices) {
    std::vector<double> memory(6, 7.0);
    fill(memory.data(), dtype::f64, 0, 3, core::row_major(3), zeros(), 1, operand::a);
    fill(memory.data(), dtype::f64, 3, 0, core::row_major(0), zeros(), 1, operand::a);
    EXPECT_EQ(memory, std::vector<double>(6, 7.0));
    fill(memory.data(), dtype::f64, 2, 3, core::row_major(3), zeros(), 1, operand::a);
    EXPECT_EQ(memory, std::vector<double>(6, 0.0));
}

TEST(BytesNeeded, CountsExtentsAndRefusesOverflow) {
    core::problem p = core::row_major_problem(dtype::f32, 3, 4, 5);
    EXPECT_EQ(bytes_needed(p).a, 3 * 5 * 4);
    EXPECT_EQ(bytes_needed(p).b, 5 * 4 * 4);
    EXPECT_EQ(bytes_needed(p).c, 3 * 4 * 4);
    EXPECT_EQ(bytes_needed(p).total(), 188);
    p.c_layout = {10, 1};
    EXPECT_EQ(bytes_needed(p).c, (2 * 10 + 4) * 4);
    const std::int64_t huge = std::int64_t{1} << 31;
    EXPECT_THROW(
        static_cast<void>(bytes_needed(core::row_major_problem(dtype::f64, huge, huge, huge))),
        error);
}

}  // namespace
}  // namespace carat::workload
