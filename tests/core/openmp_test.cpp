// How many threads are offered if no OpenMP runtime answers, and that one does here.
#include "core/openmp.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <omp.h>

namespace {

using namespace carat::core;

TEST(openmp, is_replaced_by_the_environment_where_it_is_missing) {
    constexpr int unlimited = std::numeric_limits<int>::max();
    EXPECT_EQ(threads_by_environment(nullptr, 6), 6);
    EXPECT_EQ(threads_by_environment("4", 6), 4);
    EXPECT_EQ(threads_by_environment("12", 6), 12);
    EXPECT_EQ(threads_by_environment("3,2", 6), 3);
    EXPECT_EQ(threads_by_environment(nullptr, 0), 1);
    EXPECT_EQ(limit_by_environment("2"), 2);
    EXPECT_EQ(limit_by_environment(nullptr), unlimited);
    for (const char* none : {"", "0", "-1", "x", "99999999999"}) {
        EXPECT_EQ(threads_by_environment(none, 6), 6) << none;
        EXPECT_EQ(limit_by_environment(none), unlimited) << none;
    }
}

TEST(openmp, in_use_is_the_programs_own) {
    const openmp& runtime = openmp_in_use();
    const int usual = omp_get_max_threads();
    omp_set_num_threads(usual + 3);
    EXPECT_EQ(runtime.max_threads(), usual + 3);
    omp_set_num_threads(usual);
    EXPECT_EQ(runtime.in_parallel(), 0);
    int inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : inside)
    inside += runtime.in_parallel() != 0 ? 1 : 0;
    EXPECT_EQ(inside, usual > 1 ? 2 : inside);  // fewer, with OMP_THREAD_LIMIT=1
    EXPECT_EQ(runtime.num_places(), omp_get_num_places());
}

}  // namespace
