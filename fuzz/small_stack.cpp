#include "small_stack.hpp"

#include <cstring>
#include <ucontext.h>

#include "arena.hpp"

namespace carat::fuzz {

namespace {

constexpr int pattern = 0xA5;

struct state {
    arena memory;
    std::byte* lowest = memory.place(small_stack_bytes, flush::front, 0);
    ucontext_t caller{};
    const std::function<void()>* work = nullptr;
    const std::byte* top = nullptr;
};

thread_local state* running = nullptr;

void enter() {
    running->top = static_cast<const std::byte*>(__builtin_frame_address(0));
    (*running->work)();
}

}  // namespace

std::size_t on_small_stack(const std::function<void()>& work) {
    thread_local state here;
    std::memset(here.lowest, pattern, small_stack_bytes);
    here.work = &work;
    running = &here;
    ucontext_t there{};
    getcontext(&there);
    there.uc_stack.ss_sp = here.lowest;
    there.uc_stack.ss_size = small_stack_bytes;
    there.uc_link = &here.caller;
    makecontext(&there, enter, 0);
    swapcontext(&here.caller, &there);
    const std::byte* used = here.lowest;
    while (used < here.top && *used == std::byte{pattern}) ++used;
    return static_cast<std::size_t>(here.top - used);
}

}  // namespace carat::fuzz
