// Whether two views share a byte, compared with the definition: small views of one array, comparing
// all byte addresses.
#include "api/overlap.hpp"

#include <algorithm>
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
            all.insert(static_cast<std::byte*>(m.data) +
                       (i * m.row_stride + j * m.col_stride) * std::ptrdiff_t(size_bytes(m.type)));
    return all;
}

bool repeats(const erased_matrix& x) {
    const auto all = addresses(x);
    return std::set<const void*>(all.begin(), all.end()).size() != all.size();
}

// All bytes of both compared, of elements of different sizes that begin anywhere.
bool share_by_definition(const erased_matrix& x, const erased_matrix& y) {
    const auto bytes = [](const erased_matrix& m) {
        std::set<const std::byte*> all;
        for (const void* element : addresses(m))
            for (std::size_t i = 0; i < size_bytes(m.type); ++i)
                all.insert(static_cast<const std::byte*>(element) + i);
        return all;
    };
    const auto in_x = bytes(x);
    return std::ranges::any_of(bytes(y), [&](const std::byte* p) { return in_x.contains(p); });
}

struct kind_of_view {
    const char* name;
    int most_extent;
    int most_row_stride;
    int most_col_stride;
    int most_offset;  // bytes
    bool one_type;
};

TEST(overlap, is_found_where_two_views_share_a_byte_and_nowhere_else) {
    constexpr kind_of_view kinds[] = {
        {"interleaved", 5, 12, 12, 320, true},
        {"interleaved, of two types", 5, 12, 12, 320, false},
        {"lines with gaps", 8, 60, 4, 800, true},
        {"lines with gaps, of two types", 8, 60, 4, 800, false},
        {"far strides", 4, 97, 89, 2000, true},
    };
    constexpr dtype types[] = {dtype::f64, dtype::f32, dtype::bf16, dtype::i8};
    std::mt19937 engine(7);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(engine);
    };
    for (const kind_of_view& kind : kinds) {
        int shared = 0;
        constexpr int trials = 12000;
        for (int trial = 0; trial < trials; ++trial) {
            const auto any = [&] {
                erased_matrix m = view_at(0, std::size_t(pick(0, kind.most_extent)),
                                          std::size_t(pick(0, kind.most_extent)),
                                          {pick(-kind.most_row_stride, kind.most_row_stride),
                                           pick(-kind.most_col_stride, kind.most_col_stride)});
                if (!kind.one_type) m.type = types[pick(0, 3)];
                const int offset = pick(-kind.most_offset, kind.most_offset);
                m.data = static_cast<std::byte*>(m.data) +
                         (kind.one_type && trial % 2 == 0 ? offset / 8 * 8 : offset);
                return m;
            };
            const erased_matrix x = any();
            const erased_matrix y = any();
            const bool truth = share_by_definition(x, y);
            ASSERT_EQ(api::share_bytes(x, y), truth)
                << kind.name << ", trial " << trial << ": " << x.rows << " x " << x.cols << " by "
                << x.row_stride << ", " << x.col_stride << " and " << y.rows << " x " << y.cols
                << " by " << y.row_stride << ", " << y.col_stride;
            EXPECT_EQ(api::overlaps_itself(x), repeats(x)) << "trial " << trial;
            shared += truth ? 1 : 0;
        }
        EXPECT_GT(shared, trials / 40) << kind.name;
        EXPECT_LT(shared, trials * 19 / 20) << kind.name;
    }
}

// Four strides without a common factor, and a million million pairs of rows.
TEST(overlap, is_decided_at_once_in_views_of_any_size) {
    constexpr std::size_t many = 1 << 20;
    const auto x = view_at(0, many, 3, {3 * 7919, 2});
    const auto y = view_at(1, many, 3, {6 * 7919, 2});
    EXPECT_FALSE(api::share_bytes(x, y));
    EXPECT_FALSE(api::share_bytes(y, x));
    EXPECT_TRUE(api::share_bytes(x, view_at(1, many, 3, {3 * 7919 + 1, 2})));
    EXPECT_FALSE(api::share_bytes(view_at(0, many, 2, {70 * 7919, 17}),
                                  view_at(35 * 7919, many, 3, {70 * 7919, 19})));
}

// Blocks that programs use side by side, in one 20 x 30 matrix.
TEST(overlap, neighbours_in_one_matrix_are_apart) {
    const strides rows = {30, 1};
    const strides cols = {1, 20};
    const auto left = view_at(0, 20, 15, rows);
    const auto right = view_at(15, 20, 15, rows);
    EXPECT_FALSE(api::share_bytes(left, right));
    EXPECT_FALSE(api::share_bytes(right, left));
    EXPECT_TRUE(api::share_bytes(left, view_at(14, 20, 15, rows)));
    EXPECT_FALSE(api::share_bytes(view_at(0, 10, 30, cols), view_at(10, 10, 30, cols)));
    EXPECT_FALSE(api::share_bytes(left, view_at(15, 15, 20, {1, 30}))) << "a transposed neighbour";
    EXPECT_FALSE(api::share_bytes(view_at(29, 20, 15, {30, -1}), left)) << "a reversed neighbour";
    EXPECT_FALSE(api::share_bytes(left, view_at(45, 1, 15, rows))) << "a single row to the right";
    EXPECT_FALSE(api::share_bytes(view_at(0, 5, 5, {10, 2}), view_at(1, 5, 5, {10, 2})))
        << "real and imaginary parts";
}

TEST(overlap, strides_that_mean_nothing_may_be_anything) {
    const auto huge = std::numeric_limits<std::ptrdiff_t>::min();
    const auto one = view_at(0, 1, 4, {huge, 1});
    EXPECT_FALSE(api::overlaps_itself(one));
    EXPECT_TRUE(api::share_bytes(one, view_at(3, 4, 1, {1, huge})));
    EXPECT_FALSE(api::share_bytes(one, view_at(4, 4, 1, {1, huge})));
}

}  // namespace
