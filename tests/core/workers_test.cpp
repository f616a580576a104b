// Workers compute in their caller's mode, and have the process's scheduling, whoever started them.
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <tuple>
#include <vector>

#include "core/float_environment.hpp"
#include "core/pool.hpp"
#include "tests/core/child.hpp"

namespace {

using namespace carat::core;

// Runs `work` once on the caller and once on a worker at the same time; false if no worker came.
bool on_both(const std::function<void()>& work) {
    std::atomic<int> come = 0;
    for_each_piece(2, 2, [&](int, int) {
        work();
        ++come;
        for (int i = 0; i < 2000 && come < 2; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return come == 2;
}

// The same on a worker alone.
bool on_worker(const std::function<void()>& work) {
    const std::thread::id caller = std::this_thread::get_id();
    return on_both([&] {
        if (std::this_thread::get_id() != caller) work();
    });
}

double opaque(double x) {
    volatile double v = x;
    return v;
}

// A rounded third, and what is left of a subnormal number.
struct arithmetic {
    double third = opaque(1) / opaque(3);
    double minus_third = opaque(-1) / opaque(3);
    double small = opaque(std::numeric_limits<double>::denorm_min()) * opaque(4);
    double tiny = opaque(std::numeric_limits<double>::min()) / opaque(4);
    bool operator==(const arithmetic&) const = default;
};

// Sets a mode, and the usual one again at its end.
class mode_of_this_thread {
  public:
    explicit mode_of_this_thread(float_mode mode) { restore(mode); }
    mode_of_this_thread(const mode_of_this_thread&) = delete;
    mode_of_this_thread& operator=(const mode_of_this_thread&) = delete;
    ~mode_of_this_thread() { restore(usual_); }

  private:
    float_mode usual_ = float_mode_here();
};

std::vector<float_mode> modes() {
    std::vector<float_mode> all;
    const float_mode usual = float_mode_here();
    for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(rounding);
        all.push_back(float_mode_here());
#if defined(__x86_64__)
        for (const unsigned flush : {0x8000U, 0x0040U, 0x8040U})  // of results, of operands, both
            all.push_back(float_mode_here() | flush);
#endif
    }
    std::fesetround(FE_TONEAREST);
    restore(usual);
    return all;
}

TEST(workers, round_and_flush_as_their_caller_does) {
    for (const float_mode& mode : modes()) {
        const mode_of_this_thread here(mode);
        const arithmetic expected;
        std::atomic<int> wrong = 0;
        ASSERT_TRUE(on_both([&] { wrong += arithmetic() == expected ? 0 : 1; }));
        EXPECT_EQ(wrong, 0);
    }
}

TEST(workers, of_a_thread_that_flushed_and_trapped_serve_others_as_usual) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    const auto child = [] {
        const arithmetic expected;
        std::thread([] {
            float_mode mode = float_mode_here();
#if defined(__x86_64__)
            mode = (mode | 0x8040U) & ~(0x0cU << 7);  // division by zero and overflow trap
#endif
            const mode_of_this_thread here(mode);
            (void)on_both([] {});
        }).join();
        bool right = false;
        double infinite = 0;
        const bool came = on_worker([&] {
            right = arithmetic() == expected;
            infinite = opaque(1e300) * opaque(1e300);
        });
        return came && right && infinite > 1e308;
    };
    EXPECT_EQ(carat::test::in_child(child), 0);
}

TEST(workers, hand_back_the_exceptions_they_raise) {
    std::feclearexcept(FE_ALL_EXCEPT);
    ASSERT_TRUE(on_worker([] { (void)opaque(opaque(1e300) * opaque(1e300)); }));
    EXPECT_NE(std::fetestexcept(FE_OVERFLOW), 0);
    EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO), 0);
    std::feclearexcept(FE_ALL_EXCEPT);
    ASSERT_TRUE(on_worker([] {}));
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0) << "those of an earlier call";
}

// Exits with 3 if the caller traps after its worker met the exception.
[[noreturn]] void end_by_trap(int exception, double left, double right) {
    static pthread_t caller;
    caller = pthread_self();
    if (feenableexcept(exception) < 0) std::_Exit(3);  // this processor traps nothing
    signal(SIGFPE, [](int) { std::_Exit(pthread_equal(pthread_self(), caller) ? 3 : 4); });
    (void)on_worker([&] { (void)opaque(opaque(left) / opaque(right)); });
    std::_Exit(5);
}

TEST(workers, leave_traps_to_their_caller) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const auto& [exception, left, right] :
         {std::tuple{FE_INVALID, 0.0, 0.0}, std::tuple{FE_DIVBYZERO, 1.0, 0.0},
          std::tuple{FE_OVERFLOW, 1e300, 1e-300}, std::tuple{FE_UNDERFLOW, 1e-300, 1e300},
          std::tuple{FE_INEXACT, 1.0, 3.0}})
        EXPECT_EXIT(end_by_trap(exception, left, right), testing::ExitedWithCode(3), "")
            << left << " / " << right;
}

TEST(workers, of_other_threads_compute_as_the_caller_and_get_their_mode_back) {
    struct outcome {
        float_mode before, after;
    };
    static outcome seen;
    run_pieces_on(
        [](void*, int pieces, int, detail::piece_function function, const void* work) {
            std::thread([&] {
                seen.before = float_mode_here();
                for (int piece = 0; piece < pieces; ++piece) function(work, piece, 0);
                seen.after = float_mode_here();
            }).join();
        },
        nullptr);
    std::feclearexcept(FE_ALL_EXCEPT);
    {
        std::fesetround(FE_UPWARD);
        const double third = opaque(1) / opaque(3);
        std::feclearexcept(FE_ALL_EXCEPT);
        for_each_piece(2, 2, [&](int, int) { EXPECT_EQ(opaque(1) / opaque(3), third); });
        std::fesetround(FE_TONEAREST);
    }
    run_pieces_on(nullptr, nullptr);
    EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
#if defined(__x86_64__)
    EXPECT_EQ(seen.before, seen.after);
#endif
}

// A program that pages memory in from its signal handler, like faulthandler and sanitizers. Only
// the worker touches the page.
TEST(workers, take_the_signals_of_their_own_faults) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto child = [] {
        static void* page;
        constexpr std::size_t bytes = 4096;
        page = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        struct sigaction action = {};
        action.sa_handler = [](int) { mprotect(page, bytes, PROT_READ | PROT_WRITE); };
        sigaction(SIGSEGV, &action, nullptr);
        int found = 1;
        const bool came = on_worker([&] { found = *static_cast<volatile int*>(page); });
        std::_Exit(came && found == 0 ? 0 : 1);
    };
    EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

struct place {
    cpu_set_t cpus;
    int policy;
    int nice;
    bool operator==(const place& other) const {
        return CPU_EQUAL(&cpus, &other.cpus) && policy == other.policy && nice == other.nice;
    }
};

place place_of(pid_t thread) {
    place now{};
    sched_getaffinity(thread, sizeof now.cpus, &now.cpus);
    now.policy = sched_getscheduler(thread);
    now.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
    return now;
}

// Whether there are workers, and all of them have these properties.
bool workers_stand(const place& expected) {
    int workers = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::ifstream(task.path() / "comm") >> name;
        if (name != "carat") continue;
        ++workers;
        if (!(place_of(std::stoi(task.path().filename())) == expected)) return false;
    }
    return workers > 0;
}

cpu_set_t one_cpu_of(const cpu_set_t& all) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    return one;
}

// Except for a nice value that only a privileged process may lower.
TEST(workers, stand_as_the_process_does_whoever_starts_them) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    const auto child = [] {
        const place process = place_of(0);
        place expected = process;
        std::thread([&] {
            const cpu_set_t one = one_cpu_of(process.cpus);
            sched_setaffinity(0, sizeof one, &one);
            const sched_param usual{};
            sched_setscheduler(0, SCHED_BATCH, &usual);
            const int nicer = process.nice + 3;
            setpriority(PRIO_PROCESS, 0, nicer);
            if (setpriority(PRIO_PROCESS, 0, process.nice) != 0) expected.nice = nicer;
            setpriority(PRIO_PROCESS, 0, nicer);
            (void)on_both([] {});
        }).join();
        return workers_stand(expected);
    };
    EXPECT_EQ(carat::test::in_child(child), 0);
}

TEST(workers, follow_the_process_before_they_sleep) {
    if (!carat::test::threads_start_in_children)
        GTEST_SKIP() << carat::test::no_threads_in_children;
    const auto child = [] {
        const place process = place_of(0);
        const cpu_set_t one = one_cpu_of(process.cpus);
        sched_setaffinity(0, sizeof one, &one);
        (void)on_both([] {});
        bool right = workers_stand(place_of(0));
        sched_setaffinity(0, sizeof process.cpus, &process.cpus);
        setpriority(PRIO_PROCESS, 0, process.nice + 1);
        (void)on_both([] {});
        for (int i = 0; i < 2000 && !workers_stand(place_of(0)); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return right && workers_stand(place_of(0));
    };
    EXPECT_EQ(carat::test::in_child(child), 0);
}

}  // namespace
