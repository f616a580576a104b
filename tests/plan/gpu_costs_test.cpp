// The constants that launches cost: all are told of, mean something, and are few.
#include "plan/gpu_costs.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <type_traits>

#include "plan/costs.hpp"
#include "plan/gemm_prediction.hpp"

namespace {

using namespace carat::plan;

// Each has the names of its family and its own.
std::map<std::string, double> all_of(const gpu_costs& costs) {
    std::map<std::string, double> all;
    each_family(costs, [&](const char* family, const auto& of) {
        each_constant(of, [&](const auto& constant, double value) {
            all[std::string(family) + "." + std::string(constant.name)] = value;
        });
    });
    return all;
}

bool is_memory(const std::string& name) {
    return name.ends_with(".memory_bytes_per_s");
}

TEST(gpu_costs, are_positive) {
    for (const gpu_costs& costs : {costs_of_h200, costs_of_h100}) {
        EXPECT_GT(costs.memory_bytes_per_s, 0);
        for (const auto& [name, value] : all_of(costs)) EXPECT_GT(value, 0) << name;
    }
}

TEST(gpu_costs, of_a_family_are_few_and_named_differently) {
    each_family(costs_of_h200, [](const char* family, const auto& of) {
        SCOPED_TRACE(family);
        std::set<std::string_view> names;
        each_constant(of, [&](const auto& constant, double) {
            EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
            EXPECT_FALSE(constant.meaning.empty()) << constant.name;
        });
        EXPECT_LE(names.size(), 25U);
    });
}

// One that is left out of constants() is neither fitted nor written.
TEST(gpu_costs, are_all_told_of) {
    each_family(costs_of_h200, [](const char* family, const auto& of) {
        std::set<const double*> places;
        each_constant(of, [&](const auto&, const double& value) { places.insert(&value); });
        EXPECT_EQ(places.size(), sizeof(of) / sizeof(double)) << family;
    });
}

TEST(gpu_costs, at_another_rate_of_memory_differ_in_nothing_else) {
    const double rate = costs_of_h200.memory_bytes_per_s;
    EXPECT_EQ(all_of(costs_at(costs_of_h200, rate)), all_of(costs_of_h200));
    EXPECT_EQ(costs_at(costs_of_h200, rate / 2).memory_bytes_per_s, rate / 2);
    const auto slow = all_of(costs_at(costs_of_h200, rate / 2));
    for (const auto& [name, value] : all_of(costs_of_h200))
        EXPECT_DOUBLE_EQ(slow.at(name), is_memory(name) ? value / 2 : value) << name;
}

TEST(gpu_costs, of_an_h100_differ_in_what_feeds_the_sms) {
    const auto h100 = all_of(costs_of_h100);
    for (const auto& [name, value] : all_of(costs_of_h200)) {
        if (is_memory(name) || name.ends_with(".l2_bytes_per_s"))
            EXPECT_LT(h100.at(name), value) << name;
        else
            EXPECT_EQ(h100.at(name), value) << name;
    }
}

TEST(packing, takes_a_launch_and_its_bytes) {
    const packing_costs costs = {.launch_s = 1,
                                 .transposing_launch_s = 2,
                                 .bytes_per_s = 10,
                                 .transposed_bytes_per_s = 5,
                                 .memory_bytes_per_s = 4,
                                 .l2_bytes = 1000};
    EXPECT_EQ(seconds_of(packed_first{}, costs), 0);
    EXPECT_DOUBLE_EQ(seconds_of({.lines = 100, .columns = 0}, costs), 1 + 10);
    EXPECT_DOUBLE_EQ(seconds_of({.lines = 0, .columns = 100}, costs), 2 + 20);
    EXPECT_DOUBLE_EQ(seconds_of({.lines = 100, .columns = 100}, costs), 2 + 10 + 20);
    EXPECT_DOUBLE_EQ(seconds_of({.lines = 800, .columns = 400}, costs), 2 + 80 + 80 + 50);
}

}  // namespace
