// Many threads calling at once, each with shapes and types of its own: the bits of the serial
// answer, every time.
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "tests/api/matrices.hpp"

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

}  // namespace
