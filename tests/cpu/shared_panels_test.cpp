// Products whose threads share packed panels of B or divide K: the bits are those of one thread,
// whether threads come in time, late, or one after the other.
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "cpu/machine.hpp"
#include "tests/cpu/engine_product.hpp"

namespace {

using namespace carat;
using test::engine_product;

engine_product one_product(dtype type, std::int64_t m, std::int64_t n, std::int64_t k,
                           const plan::blocking& blocks, bool c_by_rows) {
    core::problem p = core::row_major_problem(type, m, n, k);
    if (!c_by_rows) p.c_layout = core::column_major(m);
    return engine_product(p, cpu_engine::kernels_for(core::isa_in_use()), blocks);
}

constexpr int counts[] = {2, 3, 5, 16, 64};
constexpr auto sharing = "threads together";
constexpr auto divided_k = "parts of K";

// Kernels see 1201 x 203 x 211 in either order of C: several threads have the same columns.
engine_product of_many_rows(dtype type, const plan::blocking& blocks, bool c_by_rows) {
    return one_product(type, c_by_rows ? 203 : 1201, c_by_rows ? 1201 : 203, 211, blocks,
                       c_by_rows);
}

class many_threads : public testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(types, many_threads, testing::Values(dtype::f64, dtype::f32, dtype::i32));

// Panels have several columns of blocks and several blocks of depths, and the last ones are ragged.
TEST_P(many_threads, share_panels_of_b_with_the_same_bits) {
    int shared = 0;
    for (const bool c_by_rows : {true, false}) {
        for (const plan::blocking& blocks :
             {plan::blocking{.mc = 48, .nc = 100, .kc = 37}, plan::blocking{.kc = 200}}) {
            engine_product of = of_many_rows(GetParam(), blocks, c_by_rows);
            of.problem().beta = 2;
            const auto serial = of.by(1);
            for (const int threads : counts) {
                shared += of.says(threads, sharing) ? 1 : 0;
                EXPECT_EQ(of.by(threads), serial) << threads << " " << c_by_rows;
            }
        }
    }
    EXPECT_EQ(shared, 2 * 2 * 5);
}

// One thread reads B where it lies; 16 pack it together where their columns exceed L2.
TEST(shared_panels, of_what_one_thread_reads_have_the_same_bits) {
    const engine_product of = one_product(dtype::f32, 1100, 1000, 4600, {}, true);
    const bool exceeds_l2 = cpu_engine::this_machine().l2_bytes <= 2 << 20;
    EXPECT_TRUE(of.says(16, sharing) || !exceeds_l2) << of.make(16).explain();
    EXPECT_EQ(of.by(16), of.by(1));
}

TEST_P(many_threads, add_parts_of_k_in_order) {
    int divided = 0;
    for (const bool c_by_rows : {true, false}) {
        engine_product of =
            one_product(GetParam(), 70, 45, 9000, {.mc = 0, .nc = 0, .kc = 250}, c_by_rows);
        of.problem().beta = 3;
        const auto serial = of.by(1);
        for (const int threads : counts) {
            divided += of.says(threads, divided_k) ? 1 : 0;
            EXPECT_EQ(of.by(threads), serial) << threads << " " << c_by_rows;
        }
    }
    EXPECT_GE(divided, 2 * 2) << "16 and 5 threads";
}

// Depths of the unpacked path.
TEST(parts_of_k, of_operands_that_are_read_where_they_lie) {
    const engine_product of = one_product(dtype::f64, 24, 12, 300'000, {}, true);
    EXPECT_TRUE(of.says(16, divided_k)) << of.make(16).explain();
    EXPECT_EQ(of.by(16), of.by(1));
}

// Few columns of C with few rows and much K: rows of A lie side by side, or its depths do. One
// thread cuts K in the same places, and so does a product of a prepared operand.
TEST_P(many_threads, add_parts_of_k_of_few_columns_in_order) {
    if (!is_floating(GetParam())) return;
    for (const bool deeper : {false, true}) {
        engine_product of = deeper ? one_product(GetParam(), 3, 70, 20'000, {}, true)
                                   : one_product(GetParam(), 8, 71, 9722, {}, true);
        of.problem().beta = 2;
        ASSERT_TRUE(of.says(16, "skinny") && of.says(16, divided_k)) << of.make(16).explain();
        const auto serial = of.by(1);
        for (const int threads : counts) EXPECT_EQ(of.by(threads), serial) << threads;
    }
    const engine_product few = one_product(GetParam(), 24, 1, 100'000, {}, false);
    ASSERT_TRUE(few.says(16, "skinny") && few.says(16, divided_k)) << few.make(16).explain();
    detail::prepared_operand ready;
    few.prepare(ready, side::left);
    EXPECT_EQ(few.by(16, nullptr, &ready), few.by(1));
}

// C is not just the sum of the parts.
TEST(parts_of_k, are_not_taken_with_another_alpha_or_an_epilogue) {
    engine_product of = one_product(dtype::f64, 70, 45, 9000, {.mc = 0, .nc = 0, .kc = 250}, true);
    ASSERT_TRUE(of.says(16, divided_k));
    const cpu_engine::epilogue_request last{{}, of.problem().c_layout};
    EXPECT_EQ(of.by(16, &last), of.by(1, &last));
    of.problem().alpha = 0.7;
    EXPECT_FALSE(of.says(16, divided_k));
    EXPECT_EQ(of.by(16), of.by(1));
}

TEST(shared_panels, serve_prepared_operands_and_epilogues) {
    engine_product of = of_many_rows(dtype::f64, {.mc = 48, .nc = 96, .kc = 40}, false);
    ASSERT_TRUE(of.says(5, sharing));
    const cpu_engine::epilogue_request last{{}, of.problem().c_layout};
    of.problem().alpha = 0.7;
    of.problem().beta = 0.3;
    EXPECT_EQ(of.by(5, &last), of.by(1, &last));
    of.problem().beta = 0;
    detail::prepared_operand ready;
    of.prepare(ready, side::left);
    EXPECT_EQ(of.by(5, nullptr, &ready), of.by(1));
}

// Few columns are a path of their own, which a prepared operand must not leave for panels.
TEST_P(many_threads, keep_the_path_of_few_columns_with_a_prepared_operand) {
    if (is_floating(GetParam())) {
        for (const std::int64_t few : {2, 3, 5}) {
            engine_product of = one_product(GetParam(), 4000, few, 401, {}, false);
            of.problem().beta = 2;
            ASSERT_TRUE(of.says(16, "skinny")) << of.make(16).explain();
            detail::prepared_operand ready;
            of.prepare(ready, side::left);
            const auto serial = of.by(1);
            for (const int threads : counts)
                EXPECT_EQ(of.by(threads, nullptr, &ready), serial) << few << " " << threads;
        }
    }
}

class on_other_threads {
  public:
    explicit on_other_threads(core::detail::other_pool run) { core::run_pieces_on(run, nullptr); }
    on_other_threads(const on_other_threads&) = delete;
    on_other_threads& operator=(const on_other_threads&) = delete;
    ~on_other_threads() { core::run_pieces_on(nullptr, nullptr); }
};

// All pieces on one thread, the last first: a thread waits for none that has not come.
TEST(shared_panels, are_multiplied_by_one_thread_that_does_all) {
    const auto of = of_many_rows(dtype::f64, {.mc = 48, .nc = 100, .kc = 37}, true);
    ASSERT_TRUE(of.says(6, sharing) && of.says(16, sharing));
    const auto serial = of.by(1);
    const on_other_threads backward([](void*, int pieces, int threads,
                                       core::detail::piece_function function, const void* work) {
        for (int piece = pieces - 1; piece >= 0; --piece) function(work, piece, piece % threads);
    });
    EXPECT_EQ(of.by(16), serial);
}

// A thread of each group comes when the others have left.
TEST(shared_panels, are_finished_without_a_thread_that_comes_late) {
    const auto of = of_many_rows(dtype::f64, {.mc = 48, .nc = 100, .kc = 37}, true);
    ASSERT_TRUE(of.says(6, sharing) && of.says(16, sharing));
    const auto serial = of.by(1);
    const on_other_threads late(
        [](void*, int pieces, int, core::detail::piece_function function, const void* work) {
            std::vector<std::thread> in_time;
            for (int piece = 1; piece < pieces; piece += 2)
                in_time.emplace_back([=] { function(work, piece, piece); });
            for (std::thread& one : in_time) one.join();
            for (int piece = 0; piece < pieces; piece += 2) function(work, piece, piece);
        });
    EXPECT_EQ(of.by(6), serial);
}

// Threads sleep when they wait long, and many rounds leave no count behind.
TEST(shared_panels, have_the_same_bits_again_and_again) {
    const auto of = of_many_rows(dtype::f32, {.mc = 48, .nc = 48, .kc = 16}, true);
    ASSERT_TRUE(of.says(16, sharing));
    const auto serial = of.by(1);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(of.by(16), serial) << i;
}

}  // namespace
