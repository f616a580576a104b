// Waits for a word in memory to change: spins briefly, then sleeps in the kernel (futex).
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace carat::core {

using wait_word = std::atomic<std::uint32_t>;

// The time that waking a sleeping thread takes, some 50 us in a virtual machine. So the wait is at
// most twice what knowing the future would have cost (Karlin et al., 1990).
inline constexpr std::chrono::microseconds spin_time{50};

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Whether done() became true before spin_time had passed.
template <class Done>
[[nodiscard]] bool spin_until(const Done& done) {
    constexpr int rounds_between_looks = 32;
    using clock = std::chrono::steady_clock;
    for (clock::time_point end{};;) {
        for (int i = 0; i < rounds_between_looks; ++i) {
            if (done()) return true;
            relax();
        }
        const clock::time_point now = clock::now();
        if (end == clock::time_point{}) end = now + spin_time;
        if (now >= end) return false;
    }
}

inline constexpr std::uint32_t any_sleeper = FUTEX_BITSET_MATCH_ANY;

// Sleeps while the word is `seen`; may return early.
inline void sleep_while(wait_word& word, std::uint32_t seen, std::uint32_t group = any_sleeper) {
    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, seen, nullptr, nullptr, group);
}

inline void wake_sleepers(wait_word& word, std::uint32_t groups = any_sleeper) {
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, groups);
}

}  // namespace carat::core
