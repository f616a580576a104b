// Levels found on invented curves, whatever the description says about caches.
#include "lab/machine/memory_levels.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

constexpr std::int64_t kibibyte = 1 << 10;
constexpr std::int64_t mebibyte = 1 << 20;

struct step {
    std::int64_t up_to_bytes;
    double gb_per_s;
};

// Doubles from 16 KiB to the last step, with a wave of 3 % added.
std::vector<reading_peak> curve_of(const std::vector<step>& steps, int threads = 1) {
    std::vector<reading_peak> curve;
    std::int64_t bytes = 16 * kibibyte;
    for (const step& s : steps)
        for (; bytes <= s.up_to_bytes; bytes *= 2)
            curve.push_back(
                {threads, bytes, s.gb_per_s * (curve.size() % 2 == 0 ? 1 : 0.97), 0.01, 9});
    return curve;
}

std::string told(const std::vector<bandwidth_peak>& levels) {
    std::string text;
    for (const bandwidth_peak& p : levels)
        text += p.level + ' ' + std::to_string(std::lround(p.gb_per_s)) + " to " +
                std::to_string(p.working_set_bytes / kibibyte) + "; ";
    return text;
}

std::string levels_on(const description& machine, const std::vector<step>& steps) {
    return told(levels_of(machine, curve_of(steps)));
}

TEST(memory_levels, are_the_plateaus_of_a_curve) {
    EXPECT_EQ(levels_on(sample_machine(), {{32 * kibibyte, 400},
                                           {512 * kibibyte, 200},
                                           {8 * mebibyte, 40},
                                           {128 * mebibyte, 10}}),
              "L1 400 to 32; L2 200 to 512; L3 40 to 8192; DRAM 10 to 131072; ");
}

// A guest sees the host's whole cache and has a 16th of it.
TEST(memory_levels, end_where_the_curve_falls_and_not_where_the_system_says) {
    description machine = sample_machine();
    machine.caches[3].size_bytes = 256 * mebibyte;
    EXPECT_EQ(levels_on(machine, {{32 * kibibyte, 400},
                                  {512 * kibibyte, 200},
                                  {16 * mebibyte, 40},
                                  {1024 * mebibyte, 10}}),
              "L1 400 to 32; L2 200 to 512; L3 40 to 16384; DRAM 10 to 1048576; ");
}

TEST(memory_levels, a_cache_that_the_curve_does_not_show_has_no_level) {
    EXPECT_EQ(levels_on(sample_machine(),
                        {{32 * kibibyte, 400}, {512 * kibibyte, 200}, {128 * mebibyte, 10}}),
              "L1 400 to 32; L2 200 to 512; DRAM 10 to 131072; ");
}

TEST(memory_levels, a_slope_between_two_is_none) {
    auto curve = curve_of({{32 * kibibyte, 400}, {512 * kibibyte, 200}});
    double rate = 200;
    std::int64_t bytes = mebibyte;
    for (; bytes <= 8 * mebibyte; bytes *= 2) curve.push_back({1, bytes, rate *= 0.5, 0.01, 9});
    for (; bytes <= 128 * mebibyte; bytes *= 2) curve.push_back({1, bytes, 10, 0.01, 9});
    EXPECT_EQ(told(levels_of(sample_machine(), curve)),
              "L1 400 to 32; L2 200 to 512; DRAM 10 to 131072; ");
}

TEST(memory_levels, a_disturbed_point_makes_no_level_of_its_own) {
    auto curve = curve_of(
        {{32 * kibibyte, 400}, {512 * kibibyte, 200}, {8 * mebibyte, 40}, {128 * mebibyte, 10}});
    curve[4].gb_per_s /= 3;  // 256 KiB
    EXPECT_EQ(told(levels_of(sample_machine(), curve)),
              "L1 400 to 32; L2 200 to 512; L3 40 to 8192; DRAM 10 to 131072; ");
}

TEST(memory_levels, more_plateaus_than_memories_are_joined) {
    EXPECT_EQ(levels_on(sample_machine(), {{32 * kibibyte, 400},
                                           {512 * kibibyte, 200},
                                           {4 * mebibyte, 60},
                                           {16 * mebibyte, 40},
                                           {128 * mebibyte, 10}}),
              "L1 400 to 32; L2 200 to 512; L3 60 to 16384; DRAM 10 to 131072; ");
}

TEST(memory_levels, memory_too_small_to_leave_the_caches_is_not_called_dram) {
    EXPECT_EQ(levels_on(sample_machine(), {{32 * kibibyte, 400}, {512 * kibibyte, 200}}),
              "L1 400 to 32; L2 200 to 512; ");
}

TEST(memory_levels, each_number_of_threads_has_its_own) {
    auto curve = curve_of({{32 * kibibyte, 400}, {512 * kibibyte, 200}, {8 * mebibyte, 40}});
    const auto all = curve_of(
        {{32 * kibibyte, 1600}, {512 * kibibyte, 800}, {2 * mebibyte, 120}, {32 * mebibyte, 25}},
        4);
    curve.insert(curve.begin(), all.begin(), all.end());
    const auto levels = levels_of(sample_machine(), curve);
    EXPECT_EQ(told(levels),
              "L1 400 to 32; L2 200 to 512; L3 40 to 8192; "
              "L1 1600 to 32; L2 800 to 512; L3 120 to 2048; DRAM 25 to 32768; ");
    EXPECT_EQ(levels.back().threads, 4);
    EXPECT_TRUE(levels_of(sample_machine(), {}).empty());
}

}  // namespace
}  // namespace carat::machine
