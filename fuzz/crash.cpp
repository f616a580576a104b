#include "crash.hpp"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace carat::fuzz {

namespace {

constexpr std::size_t crash_stack_bytes = std::size_t{64} << 10;

std::uintptr_t stack_pointer(const void* context) {
#if defined(__x86_64__)
    const auto& all = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    return static_cast<std::uintptr_t>(all[REG_RSP]);
#else
    static_cast<void>(context);
    return 0;
#endif
}

// Nothing here allocates except the first call of backtrace(), which was made before.
void tell(int number, siginfo_t* what, void* context) {
    const auto at = reinterpret_cast<std::uintptr_t>(what->si_addr);
    const std::uintptr_t stack = stack_pointer(context);
    const std::uintptr_t apart = at > stack ? at - stack : stack - at;
    std::array<char, 200> text{};
    const int size =
        std::snprintf(text.data(), text.size(), "signal %d at %#zx, the stack pointer at %#zx%s\n",
                      number, at, stack, apart < 65536 ? ": the end of a stack?" : "");
    std::array<void*, 40> calls{};
    const int count = backtrace(calls.data(), static_cast<int>(calls.size()));
    if (write(STDERR_FILENO, text.data(), static_cast<std::size_t>(size)) >= 0)
        backtrace_symbols_fd(calls.data(), count, STDERR_FILENO);
    raise(number);  // whose handler is the default again
}

constexpr int asks_for_calls = SIGUSR2;

void tell_calls(int) {
    std::array<char, 60> text{};
    const int size = std::snprintf(text.data(), text.size(), "thread %ld:\n",
                                   static_cast<long>(syscall(SYS_gettid)));
    std::array<void*, 40> calls{};
    const int count = backtrace(calls.data(), static_cast<int>(calls.size()));
    if (write(STDERR_FILENO, text.data(), static_cast<std::size_t>(size)) >= 0)
        backtrace_symbols_fd(calls.data(), count, STDERR_FILENO);
}

}  // namespace

// One thread after the other, so that their lines do not mix.
void tell_of_all_threads() {
    DIR* const threads = opendir("/proc/self/task");
    if (threads == nullptr) return;
    while (const dirent* const one = readdir(threads)) {
        const int id = std::atoi(one->d_name);  // 0: "." and ".."
        if (id == 0 || syscall(SYS_tgkill, getpid(), id, asks_for_calls) != 0) continue;
        constexpr useconds_t long_enough_us = 50'000;
        usleep(long_enough_us);
    }
    closedir(threads);
}

void tell_of_crashes() {
    void* first = nullptr;
    backtrace(&first, 1);
    static const crash_stack of_main;
    struct sigaction how {};
    how.sa_sigaction = tell;
    how.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(number, &how, nullptr);
    struct sigaction when_asked {};
    when_asked.sa_handler = tell_calls;
    when_asked.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESTART);
    sigaction(asks_for_calls, &when_asked, nullptr);
}

crash_stack::crash_stack() : memory_(std::make_unique<std::byte[]>(crash_stack_bytes)) {
    stack_t here{};
    here.ss_sp = memory_.get();
    here.ss_size = crash_stack_bytes;
    sigaltstack(&here, nullptr);
}

crash_stack::~crash_stack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
}

}  // namespace carat::fuzz
