// Many threads call at once, each with its own shapes and types, and get the bits of the serial
// result every time. Also, how many threads a call uses.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <omp.h>
#include <thread>

#include "tests/api/matrices.hpp"
#include "tests/core/child.hpp"

namespace {

using namespace carat;

// Products one caller makes, in an order of its own; `threads` each. Returns how many differed.
template <class T>
int run_caller(unsigned caller, int threads, unsigned rounds) {
    static constexpr std::size_t sizes[] = {3, 17, 64, 130, 165, 200};
    int different = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        const std::size_t m = sizes[(caller + round * 5) % 6];
        const std::size_t n = sizes[(caller * 3 + round) % 6];
        const std::size_t k = sizes[(caller + round * 2 + 3) % 6];
        const auto a = test::whole_matrix<T>(m, k, 3, caller);
        const auto b = test::whole_matrix<T>(k, n, 3, caller + 1);
        matrix<T> c(m, n), serial(m, n);
        matrix_product(cpu{threads}, a, b, c);
        matrix_product(cpu{1}, a, b, serial);
        different += test::same_bits(c, serial) ? 0 : 1;
    }
    return different;
}

TEST(threads, sixty_four_callers_get_the_serial_answers) {
    std::atomic<int> different = 0;
    std::atomic<int> finished = 0;
    std::vector<std::thread> callers;
    for (unsigned caller = 0; caller < 64; ++caller) {
        callers.emplace_back([&, caller] {
            const int threads = static_cast<int>(caller % 3);  // all, one, two
            switch (caller % 5) {
                case 0:
                    different += run_caller<double>(caller, threads, 6);
                    break;
                case 1:
                    different += run_caller<float>(caller, threads, 6);
                    break;
                case 2:
                    different += run_caller<std::int32_t>(caller, threads, 6);
                    break;
                case 3:
                    different += run_caller<f16>(caller, threads, 6);
                    break;
                default:
                    different += run_caller<bf16>(caller, threads, 6);
            }
            ++finished;
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(different, 0);
    EXPECT_EQ(finished, 64);
}

TEST(threads, a_call_inside_a_parallel_region_is_right) {
    const auto a = test::random_matrix<double>(200, 200, 1);
    matrix<double> serial(200, 200);
    matrix_product(cpu{1}, a, a, serial);
    int different = 0;
#pragma omp parallel for num_threads(3) reduction(+ : different)
    for (int i = 0; i < 6; ++i) {
        matrix<double> c(200, 200);
        matrix_product(cpu{i % 3}, a, a, c);
        different += test::same_bits(c, serial) ? 0 : 1;
    }
    EXPECT_EQ(different, 0);
}

// Large enough for three threads; `times` one after the other.
void multiply(const cpu& where, int times) {
    const auto a = test::random_matrix<double>(300, 300, 1);
    matrix<double> c(300, 300);
    for (int i = 0; i < times; ++i) matrix_product(where, a, a, c);
}

// Exits with the number of threads that `work` started, each in its own process, since OpenMP reads
// its variables at the start.
template <class Work>
[[noreturn]] void end_with_threads_started(const Work& work) {
    const int before = test::threads_of_process();
    work();
    std::_Exit(test::threads_of_process() - before);
}

TEST(threads_taken, are_those_of_the_call_or_of_openmp) {
    if (!test::workers_can_be_counted) GTEST_SKIP() << test::no_workers_counted;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const int offered : {1, 2, 3}) {
        setenv("OMP_NUM_THREADS", std::to_string(offered).c_str(), 1);
        EXPECT_EXIT(end_with_threads_started([] { multiply({}, 1); }),
                    testing::ExitedWithCode(offered - 1), "");
        EXPECT_EXIT(end_with_threads_started([] { multiply({.threads = 2}, 1); }),
                    testing::ExitedWithCode(1), "")
            << "asked for two where OpenMP offers " << offered;
    }
    unsetenv("OMP_NUM_THREADS");
}

// libgomp offers OMP_NUM_THREADS whatever the limit.
TEST(threads_taken, are_within_openmps_limit) {
    if (!test::workers_can_be_counted) GTEST_SKIP() << test::no_workers_counted;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("OMP_NUM_THREADS", "3", 1);
    for (const int limit : {1, 2, 3, 4}) {
        setenv("OMP_THREAD_LIMIT", std::to_string(limit).c_str(), 1);
        EXPECT_EXIT(end_with_threads_started([] { multiply({}, 1); }),
                    testing::ExitedWithCode(std::min(limit, 3) - 1), "");
    }
    unsetenv("OMP_THREAD_LIMIT");
    unsetenv("OMP_NUM_THREADS");
}

TEST(threads_taken, stay_for_later_calls) {
    if (!test::workers_can_be_counted) GTEST_SKIP() << test::no_workers_counted;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(end_with_threads_started([] { multiply({.threads = 2}, 50); }),
                testing::ExitedWithCode(1), "");
}

TEST(threads_taken, are_none_inside_a_parallel_region_or_for_little_work) {
    if (!test::workers_can_be_counted) GTEST_SKIP() << test::no_workers_counted;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto inside_two = [] {
        std::atomic<int> teams = 0;
        const auto count = [at = &teams](double x) {
            at->store(std::max(at->load(), omp_get_active_level()));
            return x;
        };
#pragma omp parallel num_threads(2)
        {
            const auto a = test::random_matrix<double>(300, 300, 1);
            matrix<double> c(300, 300);
            matrix_product(cpu{}, a, a, c, each(count));
        }
        if (teams != 1) std::_Exit(100 + teams);
    };
    const auto little = [] {
        const auto a = test::random_matrix<double>(48, 48, 1);
        matrix<double> c(48, 48);
        matrix_product(cpu{8}, a, a, c);
    };
    EXPECT_EXIT(end_with_threads_started(inside_two), testing::ExitedWithCode(1), "");
    EXPECT_EXIT(end_with_threads_started(little), testing::ExitedWithCode(0), "");
}

}  // namespace
