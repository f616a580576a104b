// The time of launches of round numbers, compared with sums computed by hand.
#include "plan/launch.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace carat::plan;

// Nothing is beyond L2, which brings whatever is asked of it, and fills and stores hide fully.
constexpr sharing_costs ideal = {.l2_bytes_per_s = 1e18,
                                 .l2_bytes = 1e9,
                                 .memory_bytes_per_s = 1e12,
                                 .seen_share = 0,
                                 .alone_factor = 1};

// Each CTA has 100 steps of 10 ns, 1 us, and there are ten SMs.
launch_work of_ctas(double ctas) {
    launch_work work;
    work.ctas = ctas;
    work.places = 10;
    work.steps = 100;
    work.step_math_s = 1e-8;
    return work;
}

double seconds(const launch_work& work, const sharing_costs& costs = ideal) {
    return time_of(work, costs).seconds;
}

constexpr double tight = 1e-15;

TEST(time_of, one_cta_more_than_a_wave_takes_another) {
    for (const bool is_persistent : {false, true}) {
        launch_work work = of_ctas(1);
        work.is_persistent = is_persistent;
        work.tile_s = 5e-7;
        EXPECT_NEAR(seconds(work), 1.5e-6, tight);
        work.ctas = 10;
        EXPECT_NEAR(seconds(work), 1.5e-6, tight);
        EXPECT_DOUBLE_EQ(time_of(work, ideal).waves, 1);
        work.ctas = 11;
        EXPECT_NEAR(seconds(work), 3e-6, tight);
        EXPECT_DOUBLE_EQ(time_of(work, ideal).waves, 1.1);
        EXPECT_DOUBLE_EQ(time_of(work, ideal).at_once, 10);
        work.ctas = 20;
        EXPECT_NEAR(seconds(work), 3e-6, tight);
    }
}

// 1 MB a step at 1e14 bytes/s: ten CTAs wait 100 ns for it, one 10 ns.
TEST(time_of, few_ctas_of_the_last_wave_have_l2_for_themselves) {
    sharing_costs costs = ideal;
    costs.l2_bytes_per_s = 1e14;
    launch_work work = of_ctas(11);
    work.step_math_s = 0;
    work.step_bytes = 1e6;
    EXPECT_NEAR(seconds(work, costs), 100 * (1e-7 + 1e-8), tight);
    EXPECT_NEAR(time_of(work, costs).l2_s, 100 * (1e-7 + 1e-8), tight);
    work.ctas = 4;
    EXPECT_NEAR(seconds(work, costs), 100 * 4e-8, tight);
}

TEST(time_of, a_step_takes_the_longest_of_what_runs_at_once) {
    launch_work work = of_ctas(10);
    work.step_bytes = 1e6;
    sharing_costs costs = ideal;
    costs.l2_bytes_per_s = 1e14;  // ten times as long as the units
    EXPECT_GE(seconds(work, costs), 100 * 1e-7);
    EXPECT_LE(seconds(work, costs), 100 * 1.01e-7);
    costs.l2_bytes_per_s = 1e15;  // as long as they: more than either, and less than both
    EXPECT_GT(seconds(work, costs), 100 * 1.1e-8);
    EXPECT_LT(seconds(work, costs), 100 * 1.5e-8);
    work.step_floor_s = 1e-6;
    EXPECT_NEAR(seconds(work, costs), 100 * 1e-6, 2e-8);
    const launch_time time = time_of(work, costs);
    EXPECT_NEAR(time.math_s, 100 * 1e-8, tight);
    EXPECT_NEAR(time.l2_s, 100 * 1e-8, tight);
}

// Two on each of ten SMs have 2 us of steps, and 500 ns at their ends.
TEST(time_of, ctas_that_share_an_sm_hide_their_fills_and_stores) {
    launch_work alone = of_ctas(20);
    alone.fill_s = 2e-7;
    alone.tile_s = 3e-7;
    EXPECT_NEAR(seconds(alone), 2 * 1.5e-6, tight);
    launch_work shared = alone;
    shared.on_sm = 2;
    EXPECT_GE(seconds(shared), 2e-6);
    EXPECT_LE(seconds(shared), 2.5e-6 + tight);
    EXPECT_NEAR(time_of(shared, ideal).math_s, 2e-6, tight);

    sharing_costs seen = ideal;
    seen.seen_share = 1;
    EXPECT_GT(seconds(shared, seen), 2.5e-6);
    EXPECT_LT(seconds(shared, seen), 3e-6);

    shared.fill_s = 1e-4;  // that no steps are long enough to hide
    EXPECT_GT(seconds(shared), 1.01e-4);
    sharing_costs slow = ideal;
    slow.alone_factor = 3;
    EXPECT_NEAR(seconds(shared, slow) - seconds(shared), 2e-6, 1e-9);
}

TEST(time_of, a_cta_that_has_its_sm_to_itself_hides_nothing) {
    launch_work work = of_ctas(10);
    work.on_sm = 2;
    work.fill_s = 5e-7;
    EXPECT_NEAR(seconds(work), 1.5e-6, tight);
    work.ctas = 30;  // a wave of two on each SM, and one of one
    launch_work wave = work;
    wave.ctas = 20;
    EXPECT_NEAR(seconds(work), seconds(wave) + 1.5e-6, tight);
}

TEST(time_of, stream_k_shares_the_last_wave) {
    launch_work work = of_ctas(11);
    work.is_persistent = true;
    work.shares_last_wave = true;
    EXPECT_NEAR(seconds(work), 1.1e-6, tight);
    work.ctas = 20;
    EXPECT_NEAR(seconds(work), 2e-6, tight);
    work.ctas = 25;
    work.tile_s = 4e-7;
    EXPECT_NEAR(seconds(work), 2.5e-6 + 3 * 4e-7, tight);
}

TEST(time_of, persistent_ctas_fill_their_pipeline_once) {
    launch_work work = of_ctas(40);
    work.tile_s = 4e-7;
    work.fill_s = 3e-7;
    EXPECT_NEAR(seconds(work), 4 * (1e-6 + 4e-7 + 3e-7), tight);
    work.is_persistent = true;
    EXPECT_NEAR(seconds(work), 4 * (1e-6 + 4e-7) + 3e-7, tight);
}

// Operands arrive in an SM for each of its CTAs, however many CTAs one copy from L2 is for.
TEST(time_of, an_sm_takes_in_the_operands_of_all_its_ctas) {
    launch_work work = of_ctas(10);
    work.step_math_s = 0;
    work.step_arrival_s = 1e-8;
    EXPECT_NEAR(seconds(work), 1e-6, tight);
    work.ctas = 20;
    work.on_sm = 2;
    EXPECT_GE(seconds(work), 2e-6);
}

TEST(time_of, a_cta_alone_may_not_fill_the_units) {
    launch_work work = of_ctas(10);
    work.step_alone_s = 1.5e-8;
    EXPECT_NEAR(seconds(work), 1.5e-6, tight);
    work.ctas = 20;
    work.on_sm = 2;
    EXPECT_NEAR(time_of(work, ideal).math_s, 2e-6, tight);
    EXPECT_LT(seconds(work), 2.1e-6);
}

TEST(time_of, units_are_slower_where_all_sms_multiply) {
    sharing_costs costs = ideal;
    costs.busy_share = 0.5;
    EXPECT_NEAR(seconds(of_ctas(10), costs), 1.5e-6, tight);
    EXPECT_NEAR(seconds(of_ctas(2), costs), 1.1e-6, tight);
    launch_work shared = of_ctas(20);  // no SM is busier than busy
    shared.on_sm = 2;
    EXPECT_NEAR(time_of(shared, costs).math_s, 3e-6, tight);
}

TEST(time_of, memory_brings_what_l2_does_not_keep) {
    launch_work work = of_ctas(10);
    work.memory_bytes = 1e9;
    EXPECT_EQ(time_of(work, ideal).memory_s, 0);
    work.memory_bytes = 1.5e9;  // half of it
    EXPECT_DOUBLE_EQ(time_of(work, ideal).memory_s, 0.75e-3);
    work.memory_bytes = 3e9;
    EXPECT_DOUBLE_EQ(time_of(work, ideal).memory_s, 3e-3);
    EXPECT_NEAR(seconds(work), 3e-3, 1e-9);
    work.left_bytes = 2e9;  // by what packed
    EXPECT_EQ(time_of(work, ideal).memory_s, 0);
    work.left_bytes = 0;
    work.memory_bytes = 1e9 + 1e6;  // as long as the steps, meanwhile
    EXPECT_GT(seconds(work), 1.2e-6);
    EXPECT_LT(seconds(work), 1.8e-6);
}

TEST(time_of, a_launch_that_leaves_the_next_one_no_room_takes_longer) {
    sharing_costs costs = ideal;
    costs.crowded_s = 5e-7;
    EXPECT_NEAR(seconds(of_ctas(5), costs), 1e-6, tight);
    EXPECT_NEAR(seconds(of_ctas(6), costs), 1.5e-6, tight);
    EXPECT_NEAR(seconds(of_ctas(10), costs), 1.5e-6, tight);
    launch_work shared = of_ctas(10);  // half of the places
    shared.on_sm = 2;
    EXPECT_NEAR(seconds(shared, costs), 1e-6, tight);
}

// Where the seconds go adds up to them.
TEST(time_of, tells_parts_that_add_up) {
    for (const double bytes : {0.0, 1e9 + 1e5, 1e9 + 1e6, 3e9}) {
        launch_work work = of_ctas(25);
        work.memory_bytes = bytes;
        work.tile_s = 3e-7;
        work.fill_s = 2e-7;
        work.step_floor_s = 1.2e-8;
        work.launch_s = 1e-6;
        const launch_time time = time_of(work, ideal);
        EXPECT_GE(time.waits_s, 0);
        EXPECT_GE(time.tiles_s, 0);
        EXPECT_NEAR(time.seconds,
                    std::max({time.math_s, time.l2_s, time.memory_s}) + time.waits_s +
                        time.tiles_s + time.launch_s,
                    tight);
    }
}

TEST(time_of, what_comes_once_does_not_come_with_every_wave) {
    launch_work work = of_ctas(1000);
    const double without = seconds(work);
    work.launch_s = 1e-6;
    work.once_s = 2e-6;
    work.ahead_s = 4e-6;
    EXPECT_NEAR(seconds(work), without + 7e-6, tight);
}

TEST(stored_bytes, come_in_whole_sectors) {
    EXPECT_EQ(stored_bytes(1, 1, 2), 32);
    EXPECT_EQ(stored_bytes(1, 16, 2), 32);
    EXPECT_EQ(stored_bytes(3, 17, 2), 3 * 64);
    EXPECT_EQ(stored_bytes(128, 256, 4), 128 * 256 * 4);
    EXPECT_EQ(stored_bytes(0, 8, 4), 0);
}

}  // namespace
