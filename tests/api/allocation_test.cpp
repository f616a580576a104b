// Each allocation fails in turn: the error says so, C keeps its bits and nothing is leaked. Where
// none is promised, nothing is allocated.
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <span>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "fuzz/own_new.hpp"
#include "tests/api/matrices.hpp"

namespace {

// Allocations of the thread under test: counted, and failed when the countdown reaches 0.
thread_local bool watched = false;
thread_local int made = 0;
thread_local int countdown = -1;
bool lasting = false;  // the first failure is not the last
std::atomic<long> live = 0;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (watched) {
        if (countdown == 0) {
            if (!lasting) countdown = -1;
            return nullptr;
        }
        if (countdown > 0) --countdown;
        ++made;
    }
    void* const memory = carat::test::aligned_memory(size, alignment);
    if (memory != nullptr) ++live;
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) --live;
    std::free(memory);
}

}  // namespace

CARAT_OWN_NEW(allocate, release)

namespace {

using namespace carat;

// Runs one product in a fresh thread, whose workspace is therefore new, and fails the allocation
// after `successes` others. Returns whether there was one to fail.
template <class T>
bool fails_after(int successes, const matrix<T>& a, const matrix<T>& b, const matrix<T>& before) {
    bool failed = false;
    matrix<T> c = before;
    const long live_before = live;
    std::thread([&] {
        countdown = successes;
        watched = true;
        try {
            matrix_product(cpu{2}, a, b, before, c);
        } catch (const error& e) {
            watched = false;
            failed = true;
            EXPECT_EQ(e.code(), error_code::out_of_memory) << e.what();
            EXPECT_NE(std::string(e.what()).find("memory"), std::string::npos);
        }
        watched = false;
    }).join();
    EXPECT_EQ(live, live_before) << "leaked with " << successes << " allocations";
    EXPECT_EQ(test::same_bits(c, before), failed) << "after " << successes << " allocations";
    return failed;
}

// How many allocations could fail.
template <class T>
int fail_each(std::size_t size, int magnitude) {
    // A and B of one sign: no element of A B is 0, so C is seen to change.
    matrix<T> a(size, size), b(size, size);
    for (std::size_t i = 0; i < size * size; ++i) {
        a.data()[i] = T(1 + static_cast<int>(i % 3));
        b.data()[i] = T(1 + static_cast<int>(i % 2));
    }
    a(0, 0) = T(magnitude);
    b(0, 1) = T(-1 - magnitude / 3);
    const auto before = test::whole_matrix<T>(size, size, 50, 3);
    int failures = 0;
    while (failures < 1000 && fails_after(failures, a, b, before)) ++failures;
    return failures;
}

// Allocates what a thread keeps between calls, and a workspace. Each attempt has its own thread.
constexpr int of_a_new_thread = 2;

// The first call also detects the machine; ctest runs this test in its own process.
TEST(allocation, each_failure_of_the_first_call_is_an_error_too) {
    const int failures = fail_each<double>(200, 1);
    EXPECT_GE(failures, 1);
    EXPECT_LT(failures, 1000);
}

TEST(allocation, each_failure_is_an_error_with_c_untouched) {
    matrix<double> warm(200, 200), target(200, 200);
    matrix_product(warm, warm, target);
    // More than any L2 holds: smaller operands are not packed, and nothing is allocated.
    EXPECT_EQ(fail_each<double>(900, 1), of_a_new_thread);
    EXPECT_EQ(fail_each<float>(900, 1), of_a_new_thread);
    EXPECT_EQ(fail_each<f16>(70, 1), of_a_new_thread);
    EXPECT_EQ(fail_each<bf16>(200, 1), of_a_new_thread);
    EXPECT_EQ(fail_each<std::int32_t>(900, 1), of_a_new_thread);
    EXPECT_EQ(fail_each<std::int32_t>(40, 20000), 2) << "through doubles: workspace and result";
}

// Runs `call` in a fresh thread with each of its allocations failing in turn, until none is left to
// fail. Returns how many there were.
template <class Call>
int fail_each_of(const Call& call) {
    for (int successes = 0; successes < 1000; ++successes) {
        bool failed = false;
        const long live_before = live;
        std::thread([&] {
            countdown = successes;
            watched = true;
            try {
                call();
            } catch (const error& e) {
                watched = false;
                failed = true;
                EXPECT_EQ(e.code(), error_code::out_of_memory) << e.what();
            }
            watched = false;
        }).join();
        EXPECT_EQ(live, live_before) << "leaked with " << successes << " allocations";
        if (!failed) return successes;
    }
    return 1000;
}

TEST(allocation, each_failure_of_preparing_is_an_error) {
    const auto b = test::random_matrix<double>(70, 60, 1);
    EXPECT_GE(fail_each_of([&] { (void)prepare(b); }), 2) << "the operand and its panels";
}

TEST(allocation, each_failure_of_a_batch_leaves_c_untouched) {
    const auto a = test::whole_matrix<f16>(70, 70, 3, 1);
    const auto before = test::whole_matrix<f16>(140, 70, 50, 3);
    matrix<f16> c = before;
    int calls = 0;
    int unchanged = 0;
    const int failures = fail_each_of([&] {
        unchanged += test::same_bits(c, before) ? 1 : 0;
        ++calls;
        matrix_products(cpu{2}, a, a, strided(c.view().block(0, 0, 70, 70), 2, 4900));
    });
    EXPECT_GE(failures, 2) << "where matrices lie, and workspace";
    EXPECT_EQ(calls, failures + 1);
    EXPECT_EQ(unchanged, calls) << "before the call that succeeds, nothing was written";
}

// Matrices in random order, so that the search for overlaps keeps a tree of them.
TEST(allocation, each_failure_of_a_batch_in_no_order_is_an_error_too) {
    const auto a = test::whole_matrix<float>(4, 4, 3, 1);
    matrix<float> c(16, 16);
    std::vector<float*> where;
    for (const std::size_t place : {5u, 0u, 7u, 2u, 9u, 4u, 1u, 8u, 3u, 6u})
        where.push_back(c.data() + place * 17);
    const int failures = fail_each_of([&] {
        matrix_products(cpu{1}, a, a, pointers(std::span<float* const>(where), 4, 4, 4, 1));
    });
    EXPECT_GE(failures, 4) << "boxes, and nodes of the tree";
}

// Not even memory for a message is left.
TEST(allocation, once_all_memory_is_gone_the_error_is_still_one_of_carat) {
    matrix<double> warm(200, 200), target(200, 200);
    matrix_product(warm, warm, target);
    const auto a = test::whole_matrix<f16>(70, 70, 3, 1);
    matrix<f16> c(140, 70);
    lasting = true;
    EXPECT_EQ(fail_each<double>(900, 1), of_a_new_thread);
    EXPECT_EQ(fail_each<std::int32_t>(40, 20000), 2);
    EXPECT_GE(fail_each_of([&] { (void)prepare(a); }), 2);
    EXPECT_GE(fail_each_of([&] {
                  matrix_products(cpu{2}, a, a, strided(c.view().block(0, 0, 70, 70), 2, 4900));
              }),
              2);
    lasting = false;
}

// carat detects the machine before the first fork, so this runs in a fresh program.
TEST(allocation, a_process_without_memory_can_fork) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto call = [] {
        lasting = true;
        countdown = 0;
        watched = true;
        const pid_t child = fork();
        watched = false;
        if (child == 0) std::_Exit(0);
        int status = -1;
        std::exit(waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
    };
    EXPECT_EXIT(call(), testing::ExitedWithCode(0), "");
}

TEST(allocation, small_products_and_second_products_allocate_nothing) {
    const auto a = test::random_matrix<double>(100, 100, 1);
    const auto f = test::random_matrix<float>(300, 300, 1);
    matrix<double> c(100, 100);
    matrix<float> d(300, 300);
    matrix_product(f, f, d);
    matrix_product(a, transposed(a), c);  // packs A: the thread's first workspace
    watched = true;
    made = 0;
    matrix_product(a, a, c);
    matrix_product(a, transposed(a), c, c);
    matrix_product(f, f, d);
    watched = false;
    EXPECT_EQ(made, 0);
}

}  // namespace
