// One product on several threads: the rectangles cover C once for any grid, and the bits are those
// of one thread.
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "cpu/engine.hpp"
#include "cpu/threads/batch.hpp"

namespace {

using namespace carat;

template <class T>
std::vector<T> random_values(std::int64_t count) {
    std::mt19937 engine(5);
    std::uniform_int_distribution<int> uniform(-9, 9);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& x : values) x = T(uniform(engine) / 8.0);
    return values;
}

template <class T, class Sum = T>
void compare(std::int64_t m, std::int64_t n, std::int64_t k, int& several) {
    const auto a = random_values<T>(m * k);
    const auto b = random_values<T>(k * n);
    core::problem p = core::row_major_problem(dtype_of_v<T>, m, n, k);
    p.c_type = dtype_of_v<Sum>;
    std::vector<Sum> serial;
    for (const int threads : {1, 2, 3, 5, 8}) {
        std::vector<Sum> c(static_cast<std::size_t>(m * n), Sum(77));
        const cpu_engine::product made(p, threads, cpu_engine::kernels_for(core::isa_in_use()));
        EXPECT_LE(made.threads(), threads);
        several += made.threads() > 1 ? 1 : 0;
        cpu_engine::workspace memory;
        made.run({a.data(), b.data(), c.data()}, memory.reserve(made.workspace_bytes()));
        if (threads == 1) serial = c;
        EXPECT_EQ(std::memcmp(c.data(), serial.data(), c.size() * sizeof(Sum)), 0)
            << core::describe(p) << " with " << threads;
    }
}

TEST(rectangles, cover_c_once_with_the_same_bits) {
    int several = 0;
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{250, 250, 200},
                                  {3000, 5, 900},
                                  {5, 3000, 900},
                                  {97, 511, 311}}) {
        compare<double>(m, n, k, several);
        compare<float>(m, n, k, several);
        compare<std::int32_t>(m, n, k, several);
        compare<f16>(m, n, k, several);
        compare<bf16>(m, n, k, several);
        compare<bf16, float>(m, n, k, several);
        compare<std::int8_t, std::int32_t>(m, n, k, several);
    }
    EXPECT_EQ(several, 4 * 7 * 4) << "products that really had several threads";
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
