// Pieces on the pool: each done once, by threads that share no index, whatever the system refuses.
#include "core/pool.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "core/control_group.hpp"
#include "core/worker_thread.hpp"
#include "tests/core/child.hpp"

namespace {

using namespace carat::core;

// Whether every piece was done exactly once, and no thread index by two threads at a time.
bool all_done_once(int pieces, int threads) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
    std::vector<std::atomic<int>> in_thread(static_cast<std::size_t>(threads));
    std::atomic<bool> shared = false;
    for_each_piece(pieces, threads, [&](int piece, int thread) {
        if (++in_thread[static_cast<std::size_t>(thread)] != 1) shared = true;
        ++done[static_cast<std::size_t>(piece)];
        --in_thread[static_cast<std::size_t>(thread)];
    });
    for (const std::atomic<int>& times : done)
        if (times != 1) return false;
    return !shared;
}

TEST(pool, every_piece_is_done_once_by_a_thread_of_its_own) {
    for (const int threads : {1, 2, 3, 4, 7, 16, 40})
        for (const int pieces : {0, 1, 2, 3, 5, 16, 100, 1000})
            EXPECT_TRUE(all_done_once(pieces, threads)) << pieces << " by " << threads;
}

TEST(pool, thousands_of_short_calls_lose_nothing) {
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) wrong += all_done_once(1 + i % 5, 2 + i % 3) ? 0 : 1;
    EXPECT_EQ(wrong, 0);
}

TEST(pool, callers_beyond_the_boards_do_their_pieces_alone) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int c = 0; c < 24; ++c)
        callers.emplace_back([&, c] {
            for (int i = 0; i < 300; ++i) wrong += all_done_once(1 + (i + c) % 9, 4) ? 0 : 1;
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

// Callers come and go, so that a board's slots pass from worker to worker; some workers are always
// late for the call that they saw. None may still run a call's pieces after the call has returned.
TEST(pool, no_piece_outlives_its_call) {
    std::atomic<int> late = 0;
    std::vector<std::thread> callers;
    for (int c = 0; c < 7; ++c)
        callers.emplace_back([&, c] {
            for (int i = 0; i < 400; ++i) {
                std::atomic<int> running = 0;
                for_each_piece(6, 2 + (i + c) % 5, [&](int, int thread) {
                    ++running;
                    // Sleeps, so that workers have time to come.
                    std::this_thread::sleep_for(std::chrono::microseconds(thread == 0 ? 30 : 200));
                    --running;
                });
                late += running != 0 ? 1 : 0;
            }
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(late, 0);
}

TEST(pool, calls_inside_a_piece_and_inside_a_parallel_region_are_right) {
    std::atomic<int> wrong = 0;
    for_each_piece(8, 4, [&](int, int) {
        if (!inside_piece()) ++wrong;
        wrong += all_done_once(5, 3) ? 0 : 1;
    });
    EXPECT_FALSE(inside_piece());
#pragma omp parallel num_threads(3)
    wrong += all_done_once(7, 3) ? 0 : 1;
    EXPECT_EQ(wrong, 0);
}

cpu_set_t allowed_here() {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    return allowed;
}

TEST(pool, a_thread_leaves_its_processor_and_may_come_back) {
    const cpu_set_t before = allowed_here();
    if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "there is one processor";
    int left = 0;
    for (int i = 0; i < 20; ++i) {  // the system may bring it back at once
        const int cpu = sched_getcpu();
        leave_processor(cpu, 2);
        left += sched_getcpu() != cpu ? 1 : 0;
    }
    EXPECT_GE(left, 10);
    leave_processor(sched_getcpu(), CPU_COUNT(&before) + 1);  // too few for all to have one
    const cpu_set_t after = allowed_here();
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

void keep_all_threads_on(const cpu_set_t& where) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
        sched_setaffinity(std::stoi(task.path().filename()), sizeof where, &where);
}

// Whether both threads of a call came, and worked on different processors.
bool work_apart() {
    std::array<std::atomic<int>, 2> cpus{-1, -1};
    for_each_piece(2, 2, [&](int, int thread) {
        cpus[static_cast<std::size_t>(thread)] = sched_getcpu();
        for (int i = 0; i < 20 && (cpus[0] < 0 || cpus[1] < 0); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return cpus[0] >= 0 && cpus[1] >= 0 && cpus[0] != cpus[1];
}

// Caller and worker were kept on one processor and are let go; some systems wake the worker there.
TEST(pool, a_worker_does_not_work_on_its_callers_processor) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    const cpu_set_t everywhere = allowed_here();
    if (CPU_COUNT(&everywhere) < 2) GTEST_SKIP() << "there is one processor";
    const auto often_apart = [&everywhere] {
        constexpr int tries = 20;
        int apart = 0;
        for (int i = 0; i < tries; ++i) {
            cpu_set_t here;
            CPU_ZERO(&here);
            CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
            keep_all_threads_on(here);
            (void)work_apart();
            keep_all_threads_on(everywhere);
            apart += work_apart() ? 1 : 0;
        }
        return apart >= tries / 2;
    };
    EXPECT_EQ(carat::test::in_child(often_apart), 0);
}

// A worker that does not run delays nothing. Here none can: they may run only on a processor that
// the caller keeps busy at a real-time priority or, if that is not allowed, the test says so.
TEST(pool, the_caller_does_not_wait_for_workers_that_do_not_run) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    const auto alone = [] {
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
        if (sched_setaffinity(0, sizeof here, &here) != 0) _exit(77);
        bool right = all_done_once(4, 4);  // starts workers on this processor, of usual priority
        const sched_param first{.sched_priority = 1};
        if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) != 0) _exit(77);
        std::atomic<int> by_others = 0;
        for (int i = 0; i < 100; ++i)
            for_each_piece(16, 4, [&](int, int thread) { by_others += thread != 0 ? 1 : 0; });
        return right && by_others == 0 && all_done_once(16, 4);
    };
    const int result = carat::test::in_child(alone);
    if (result == 77) GTEST_SKIP() << "real-time priorities are not allowed here";
    EXPECT_EQ(result, 0);
}

TEST(pool, goes_on_with_the_threads_it_has_where_the_system_refuses_more) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    const auto without_room = [] {
        const rlimit none{0, 0};  // of address space: no thread finds room for its stack
        if (setrlimit(RLIMIT_AS, &none) != 0) return false;
        std::atomic<int> done = 0;
        for_each_piece(200, 100, [&](int, int) { ++done; });
        // The stacks of the parent's workers are used again, a few at most.
        const int threads = carat::test::threads_of_process_without_memory();
        return done == 200 && threads >= 1 && threads < 100;
    };
    EXPECT_EQ(carat::test::in_child(without_room), 0);
}

TEST(pool, children_have_workers_of_their_own) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    ASSERT_TRUE(all_done_once(100, 3));
    const auto child = [] {
        const int before = carat::test::threads_of_process();
        return before == 1 && all_done_once(100, 3) && carat::test::threads_of_process() == 3;
    };
    EXPECT_EQ(carat::test::in_child(child), 0);
    EXPECT_TRUE(carat::test::children_are_right_beside_busy_threads(
        [] { return all_done_once(64, 3); }, 20));
}

TEST(pool, workers_leave_signals_to_the_program) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    static std::atomic<int> elsewhere;
    static pthread_t main_thread;
    const auto child = [] {
        elsewhere = 0;
        main_thread = pthread_self();
        (void)all_done_once(100, 4);
        signal(SIGUSR1,
               [](int) { elsewhere += pthread_equal(pthread_self(), main_thread) ? 0 : 1; });
        for (int i = 0; i < 200; ++i) kill(getpid(), SIGUSR1);
        return elsewhere == 0;
    };
    EXPECT_EQ(carat::test::in_child(child), 0);
}

TEST(pool, parts_cover_an_extent_once) {
    for (const std::int64_t extent : {0, 1, 5, 16, 1000})
        for (const int parts : {1, 2, 3, 7, 16}) {
            std::int64_t next = 0;
            for (int i = 0; i < parts; ++i) {
                const range part = subrange(extent, parts, i);
                EXPECT_EQ(part.first, next);
                EXPECT_GE(part.size, extent / parts);
                next += part.size;
            }
            EXPECT_EQ(next, extent);
        }
}

}  // namespace
