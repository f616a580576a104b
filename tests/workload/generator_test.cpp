// The generator against published answers, and each vector level against the scalar one.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "core/isa.hpp"
#include "lab/workload/generate.hpp"
#include "lab/workload/philox.hpp"
#include "lab/workload/workload.hpp"

namespace carat::workload {
namespace {

// The vectors that Random123 publishes for philox4x32 with 10 rounds (kat_vectors).
TEST(Philox, KnownAnswers) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (philox_block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
              (philox_block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (philox_block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The element's definition, in scalar code: see generate.hpp.
double unit_by_definition(std::uint64_t seed, std::uint32_t stream, std::int64_t row,
                          std::int64_t col) {
    const auto i = static_cast<std::uint64_t>(row);
    const auto block = static_cast<std::uint64_t>(col / 32 * 16 + col % 16);
    const auto high = static_cast<std::uint32_t>((i >> 32) | (block >> 32) << 16);
    const philox_block words =
        philox({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(block), high, stream},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    const std::size_t half = col % 32 < 16 ? 0 : 2;
    const std::uint64_t word = std::uint64_t{words[half + 1]} << 32 | words[half];
    return static_cast<double>(word >> 12) * 0x1p-52;
}

struct level {
    core::isa isa;
    unit_row_function* unit_row;
};

TEST(Generator, EveryLevelFollowsTheDefinition) {
    std::vector<level> levels = {{core::isa::baseline, baseline::unit_row}};
#if defined(__x86_64__)
    levels.push_back({core::isa::avx2, avx2::unit_row});
    levels.push_back({core::isa::avx512, avx512::unit_row});
#endif
    int compared = 0;
    for (const level& l : levels) {
        if (!core::has(l.isa)) continue;
        for (const std::int64_t row : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1} << 40})
            for (const std::int64_t group :
                 {std::int64_t{0}, std::int64_t{5}, std::int64_t{1} << 36}) {
                std::array<double, 3 * group_cols> units{};
                l.unit_row({0x123456789abcdef0, 0x102, row}, group, 3, units.data());
                for (std::size_t c = 0; c < units.size(); ++c, ++compared)
                    EXPECT_EQ(units[c], unit_by_definition(0x123456789abcdef0, 0x102, row,
                                                           group * 32 + static_cast<int>(c)))
                        << name(l.isa) << " row " << row << " group " << group << " col " << c;
            }
    }
    const auto here = std::ranges::count_if(levels, core::has, &level::isa);
    EXPECT_EQ(compared, 9 * 96 * here);
    EXPECT_GE(here, core::has(core::isa::avx512) ? 3 : 1);
}

TEST(Generator, ValueIsAFunctionOfItsPlace) {
    const distribution d = uniform(2, 5);
    for (const std::int64_t col : {0, 15, 16, 31, 32, 1000})
        EXPECT_EQ(value_at(d, 9, operand::b, 3, col), 2 + 3 * unit_by_definition(9, 1, 3, col));
    EXPECT_NE(value_at(d, 9, operand::a, 3, 4), value_at(d, 9, operand::b, 3, 4));
    EXPECT_NE(value_at(d, 9, operand::a, 3, 4), value_at(d, 8, operand::a, 3, 4));
    EXPECT_NE(value_at(d, 9, operand::a, 3, 4), value_at(d, 9, operand::a, 4, 3));
}

}  // namespace
}  // namespace carat::workload
