// One product on several threads: the rectangles cover C once for any grid, and the bits are those
// of one thread.
#include <algorithm>
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <vector>

#include "cpu/threads/batch.hpp"
#include "tests/cpu/engine_product.hpp"

namespace {

using namespace carat;

TEST(rectangles, cover_c_once_with_the_same_bits) {
    constexpr std::pair<dtype, dtype> types[] = {
        {dtype::f64, dtype::f64}, {dtype::f32, dtype::f32},   {dtype::i32, dtype::i32},
        {dtype::f16, dtype::f16}, {dtype::bf16, dtype::bf16}, {dtype::bf16, dtype::f32},
        {dtype::i8, dtype::i32}};
    int several = 0;
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{250, 250, 200},
                                  {3000, 5, 900},
                                  {5, 3000, 900},
                                  {97, 511, 311}})
        for (const auto& [in, out] : types) {
            core::problem p = core::row_major_problem(in, m, n, k);
            p.c_type = out;
            const test::engine_product of(p);
            const auto serial = of.by(1);
            for (const int threads : {2, 3, 5, 8}) {
                EXPECT_LE(of.make(threads).threads(), threads);
                several += of.make(threads).threads() > 1 ? 1 : 0;
                EXPECT_EQ(of.by(threads), serial) << core::describe(p) << " with " << threads;
            }
        }
    EXPECT_EQ(several, 4 * 7 * 4) << "products that really had several threads";
}

TEST(rectangles, in_pieces_of_rows_or_columns_cover_c_once) {
    constexpr std::int64_t m = 100;
    constexpr std::int64_t n = 70;
    for (const bool along_n : {false, true})
        for (const int pieces : {1, 2, 4, 40})
            for (const auto& [threads_m, threads_n] : {std::pair{1, 1}, {1, 5}, {3, 2}}) {
                std::vector<std::atomic<int>> times(m * n);
                const cpu_engine::rectangles of{m, n, 8, 6, threads_m, threads_n, pieces, along_n};
                for_each_rectangle(of, [&](int, core::range rows, core::range cols) {
                    for (std::int64_t i = rows.first; i < rows.first + rows.size; ++i)
                        for (std::int64_t j = cols.first; j < cols.first + cols.size; ++j)
                            ++times[static_cast<std::size_t>(i * n + j)];
                });
                EXPECT_TRUE(std::ranges::all_of(times, [](const auto& x) { return x == 1; }))
                    << pieces << " of " << threads_m << " x " << threads_n << ", " << along_n;
            }
}

// Threads take whole products if each alone would use few of them, though some stay idle; all
// threads share each product if a few large ones would leave most idle. Tiny products cost more
// than they multiply.
TEST(batch, threads_take_whole_products_where_that_is_sooner) {
    const auto workers = [](std::int64_t size, std::size_t count, int threads, int inside) {
        return cpu_engine::workers_for(core::row_major_problem(dtype::f64, size, size, size), count,
                                       threads, inside);
    };
    EXPECT_EQ(workers(98, 8, 16, 4), 8);
    EXPECT_EQ(workers(83, 14, 16, 2), 14);
    EXPECT_EQ(workers(2000, 4, 16, 16), 1);
    EXPECT_EQ(workers(2000, 16, 16, 16), 16);
    EXPECT_EQ(workers(2000, 5, 2, 2), 1);
    EXPECT_EQ(workers(2000, 7, 2, 2), 2);
    EXPECT_EQ(workers(4, 4096, 16, 1), 16);
    EXPECT_EQ(workers(4, 100, 16, 1), 1);
}

// A batch that is soon done is one range for each thread, the same at each call.
TEST(batch, short_ones_leave_no_ranges_to_others) {
    using cpu_engine::least_per_thread;
    using cpu_engine::ranges_per_thread;
    EXPECT_EQ(ranges_per_thread(16, 16 * least_per_thread), 1);
    EXPECT_EQ(ranges_per_thread(16, 16 * 100 * least_per_thread), 4);
    EXPECT_EQ(ranges_per_thread(1, 100 * least_per_thread), 1);
}

}  // namespace
