#include "failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

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
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory != nullptr) live.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    void* const memory = allocate(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
    std::free(memory);
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t size) {
    return allocate_or_throw(size, usual);
}
void* operator new(std::size_t size, std::align_val_t a) {
    return allocate_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size, usual);
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(a));
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}

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
