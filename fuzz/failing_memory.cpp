// The n-th allocation of a call fails. The call runs in its own thread, whose workspace is
// therefore new, on a small stack: out_of_memory with C untouched, or a right result.
#include <thread>

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
        result.returned = result.foreign = failed = false;
        const std::function<void()> arm = [&] { fail_allocation_after(successes); };
        try {
            make_call(r.of, r.on, nullptr, &arm);
            result.returned = true;
        } catch (const error& e) {
            result.code = e.code();
            failed = stop_failing();
            result.what = e.what();
        } catch (...) {
            result.foreign = true;
        }
        failed = stop_failing() || failed;
    }
};

void in_a_thread(attempt& a) {
    std::thread([&] { a.result.stack_bytes = on_small_stack([&] { a.make(); }); }).join();
}

}  // namespace

std::string try_failing_memory(const running& r) {
    if (r.of.f16_sums) return {};
    r.of.ready = prepared::none;
    for (int successes = 0; successes < 12; ++successes) {
        attempt a{r, successes};
        long grown = 0;
        // The library's threads may allocate meanwhile, but not every time.
        for (int tries = 0; tries < 3; ++tries) {
            place_all(r);  // E may be C, which a call before has written
            const long before = live_allocations();
            in_a_thread(a);
            grown = live_allocations() - before;
            if (grown <= 0 || !a.failed) break;
        }
        if (a.result.foreign) return "without memory it threw what is no carat::error";
        if (a.failed && grown > 0 && r.alone)
            return "leaked after allocation " + std::to_string(successes) + " failed";
        if (a.failed) ++r.count.no_memory;
        // The failed allocation may have been optional.
        const bool overflow = a.result.code == error_code::overflow && is_integer(r.of.a_type);
        if (a.failed && !a.result.returned && !overflow) {
            if (a.result.code != error_code::out_of_memory)
                return "without memory it was refused for another reason: " + a.result.what;
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
