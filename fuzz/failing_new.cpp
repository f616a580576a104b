#include "failing_new.hpp"

#include <atomic>
#include <utility>

#include "own_new.hpp"

namespace {

thread_local int countdown = -1;
thread_local bool failed = false;
std::atomic<long> live{0};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (countdown == 0) {
        countdown = -1;
        failed = true;
        return nullptr;
    }
    if (countdown > 0) --countdown;
    void* const memory = carat::test::aligned_memory(size, alignment);
    if (memory != nullptr) live.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
    std::free(memory);
}

}  // namespace

CARAT_OWN_NEW(allocate, release)

namespace carat::fuzz {

void fail_allocation_after(int successes) {
    failed = false;
    countdown = successes;
}
bool stop_failing() {
    countdown = -1;
    return std::exchange(failed, false);
}
long live_allocations() {
    return live.load(std::memory_order_relaxed);
}

}  // namespace carat::fuzz
