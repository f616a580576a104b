// Programs that fork before, after and while they multiply.
#include <gtest/gtest.h>

#include "tests/api/matrices.hpp"
#include "tests/core/child.hpp"

namespace {

using namespace carat;
using test::in_child;

// A product large enough for every thread of the team.
bool large_product_is_right() {
    const std::size_t n = 400;
    matrix<double> a(n, n), c(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = 1;
    matrix_product(cpu{2}, a, a, c);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (c(i, j) != static_cast<double>(n)) return false;
    return true;
}

// First in this file: nobody has multiplied yet, so the forks of each round may come while the
// other threads are in the middle of the library's first call.
TEST(processes, children_multiply_while_other_threads_of_the_parent_do) {
    if (!test::threads_start_in_children) GTEST_SKIP() << test::no_threads_in_children;
    for (int i = 0; i < 25; ++i)
        ASSERT_EQ(in_child([] {
                      return test::children_are_right_beside_busy_threads(large_product_is_right,
                                                                          2);
                  }),
                  0);
}

TEST(processes, children_multiply_after_their_parent_did) {
    ASSERT_TRUE(large_product_is_right());
    EXPECT_EQ(in_child(large_product_is_right), 0);
    EXPECT_EQ(
        in_child([] { return large_product_is_right() && in_child(large_product_is_right) == 0; }),
        0);
    EXPECT_TRUE(large_product_is_right());
}

}  // namespace
