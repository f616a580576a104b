// The proof that two views share nothing, against the definition: every pair of small views over
// one array, each element's address compared with each other's.
#include "api/overlap.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace {

using namespace carat;
using detail::erased_matrix;

std::vector<double> memory(4096);

struct strides {
    std::ptrdiff_t row;
    std::ptrdiff_t col;
};

erased_matrix view_at(std::ptrdiff_t offset, std::size_t rows, std::size_t cols, strides s) {
    return {memory.data() + 2048 + offset, rows, cols, s.row, s.col, dtype::f64, 1};
}

// Element addresses in order; repeated where the view overlaps itself.
std::multiset<const void*> addresses(const erased_matrix& m) {
    std::multiset<const void*> all;
    for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(m.rows); ++i)
        for (std::ptrdiff_t j = 0; j < std::ptrdiff_t(m.cols); ++j)
            all.insert(static_cast<double*>(m.data) + i * m.row_stride + j * m.col_stride);
    return all;
}

bool share(const erased_matrix& x, const erased_matrix& y) {
    const auto in_x = addresses(x);
    for (const void* p : addresses(y))
        if (in_x.contains(p)) return true;
    return false;
}

bool repeats(const erased_matrix& x) {
    const auto all = addresses(x);
    return std::set<const void*>(all.begin(), all.end()).size() != all.size();
}

TEST(overlap, is_never_missed_and_seldom_suspected) {
    std::mt19937 engine(7);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(engine);
    };
    int shared = 0;
    int apart = 0;
    int proved = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const auto any = [&] {
            return view_at(pick(-40, 40), std::size_t(pick(0, 5)), std::size_t(pick(0, 5)),
                           {pick(-12, 12), pick(-12, 12)});
        };
        const erased_matrix x = any();
        const erased_matrix y = any();
        const bool answer = api::may_overlap(x, y);
        if (share(x, y)) {
            ++shared;
            EXPECT_TRUE(answer) << "missed in trial " << trial;
        } else {
            ++apart;
            proved += answer ? 0 : 1;
        }
        EXPECT_EQ(api::overlaps_itself(x), repeats(x)) << "trial " << trial;
    }
    EXPECT_GT(shared, 2000);
    EXPECT_GT(proved, apart / 2);
}

// Blocks people really use side by side, in one 20 x 30 matrix.
TEST(overlap, neighbours_in_one_matrix_are_proved_apart) {
    const strides rows = {30, 1};
    const strides cols = {1, 20};
    const auto left = view_at(0, 20, 15, rows);
    const auto right = view_at(15, 20, 15, rows);
    EXPECT_FALSE(api::may_overlap(left, right));
    EXPECT_FALSE(api::may_overlap(right, left));
    EXPECT_TRUE(api::may_overlap(left, view_at(14, 20, 15, rows)));
    EXPECT_FALSE(api::may_overlap(view_at(0, 10, 30, cols), view_at(10, 10, 30, cols)));
    EXPECT_FALSE(api::may_overlap(left, view_at(15, 15, 20, {1, 30}))) << "a transposed neighbour";
    EXPECT_FALSE(api::may_overlap(view_at(29, 20, 15, {30, -1}), left)) << "a reversed neighbour";
    EXPECT_FALSE(api::may_overlap(left, view_at(45, 1, 15, rows))) << "a single row to the right";
    EXPECT_FALSE(api::may_overlap(view_at(0, 5, 5, {10, 2}), view_at(1, 5, 5, {10, 2})))
        << "real and imaginary parts";
}

TEST(overlap, strides_that_mean_nothing_may_be_anything) {
    const auto huge = std::numeric_limits<std::ptrdiff_t>::min();
    const auto one = view_at(0, 1, 4, {huge, 1});
    EXPECT_FALSE(api::overlaps_itself(one));
    EXPECT_TRUE(api::may_overlap(one, view_at(3, 4, 1, {1, huge})));
    EXPECT_FALSE(api::may_overlap(one, view_at(4, 4, 1, {1, huge})));
}

}  // namespace
