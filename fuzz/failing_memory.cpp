// The n-th allocation of a call fails, in a thread of its own, whose workspace is therefore new, on
// a stack of 64 KiB: out_of_memory with C untouched, or a right result.
#include <pthread.h>

#include "calls.hpp"
#include "failing_new.hpp"
#include "small_stack.hpp"
#include "trials.hpp"

namespace carat::fuzz {

namespace {

struct attempt {
    const running& r;
    int successes;
    outcome result = {};
    bool failed = false;

    void make() {
        result = outcome{};
        const std::function<void()> arm = [&] { fail_allocation_after(successes); };
        try {
            make_call(r.of, r.on, nullptr, &arm);
            result.returned = true;
        } catch (const error& e) {
            result.code = e.code();
        } catch (...) {
            result.foreign = true;
        }
        failed = stop_failing();
    }
};

bool in_a_thread(attempt& a) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, small_stack_bytes);
    pthread_t thread{};
    const auto work = [](void* given) -> void* {
        static_cast<attempt*>(given)->make();
        return nullptr;
    };
    const bool started = pthread_create(&thread, &attributes, work, &a) == 0;
    pthread_attr_destroy(&attributes);
    if (started) pthread_join(thread, nullptr);
    return started;
}

}  // namespace

std::string try_failing_memory(const running& r) {
    if (r.of.f16_sums) return {};
    r.of.ready = prepared::none;
    for (int successes = 0; successes < 12; ++successes) {
        place_all(r);
        attempt a{r, successes};
        long grown = 0;
        // Threads of the library may allocate meanwhile, but not each time.
        for (int tries = 0; tries < 3; ++tries) {
            const long before = live_allocations();
            if (!in_a_thread(a)) return {};
            grown = live_allocations() - before;
            if (grown <= 0 || !a.failed) break;
        }
        if (a.result.foreign) return "without memory it threw what is no carat::error";
        if (a.failed && grown > 0)
            return "leaked after allocation " + std::to_string(successes) + " failed";
        if (a.failed) ++r.count.no_memory;
        if (a.failed && !a.result.returned) {
            if (a.result.code != error_code::out_of_memory) return "not told of as out_of_memory";
            if (std::string wrong = unchanged_after_refusal(r); !wrong.empty()) return wrong;
            continue;
        }
        a.result.what = "in a thread of its own";
        if (std::string wrong = check_result(r, a.result, false); !wrong.empty()) return wrong;
        if (!a.failed) break;
    }
    return {};
}

}  // namespace carat::fuzz
