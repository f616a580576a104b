// The simulator against the processor, where the processor counts.
#include "lab/machine/counters.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "lab/machine/description.hpp"
#include "lab/model/cache_simulator.hpp"

namespace carat::model {
namespace {

constexpr std::size_t edge = 256;

// Its walk down columns, 2048 bytes a step, is nothing that a prefetcher of an L1 foresees.
double dot_products(const std::vector<double>& a, const std::vector<double>& b,
                    std::vector<double>& c) {
    for (std::size_t i = 0; i < edge; ++i) {
        for (std::size_t j = 0; j < edge; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < edge; ++k) sum += a[i * edge + k] * b[k * edge + j];
            c[i * edge + j] += sum;
        }
    }
    return c.back();
}

TEST(Counters, AgreeWithTheSimulator) {
    if (const std::string why = machine::counters_unavailable(); !why.empty()) GTEST_SKIP() << why;
    const machine::description here = machine::describe();
    const machine::cache* l1 = machine::data_cache(here, 1);
    if (l1 == nullptr || l1->ways == 0) GTEST_SKIP() << "the geometry of L1 is unknown";
    const std::vector<double> a(edge * edge, 1.0);
    const std::vector<double> b(edge * edge, 2.0);
    std::vector<double> c(edge * edge, 0.0);
    double last = dot_products(a, b, c);
    const auto counted = machine::count_l1_misses([&] { last += dot_products(a, b, c); });
    ASSERT_TRUE(counted.has_value());
    EXPECT_GT(last, 0);
    const auto n = static_cast<std::int64_t>(edge);
    const auto simulated =
        simulate({order::ijk, 0}, {n, n, n}, {}, {{l1->size_bytes, l1->line_bytes, l1->ways}});
    const double ratio =
        static_cast<double>(*counted) / static_cast<double>(simulated.misses.front().total());
    EXPECT_GT(ratio, 0.5);
    EXPECT_LT(ratio, 2.0);
}

// Counting nothing is an answer only where there is a reason for it.
TEST(Counters, CountWhereNothingForbidsIt) {
    EXPECT_EQ(machine::count_l1_misses([] {}).has_value(), machine::counters_unavailable().empty());
}

}  // namespace
}  // namespace carat::model
