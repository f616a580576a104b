// How far threads have come with work that they share: a count that grows, and a wait for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/spin_wait.hpp"

namespace carat::cpu_engine {

class progress {
  public:
    void add() {
        count_.fetch_add(1, std::memory_order_seq_cst);
        // Either this sees that the other sleeps, or the other sees the new count.
        if (sleepers_.load(std::memory_order_seq_cst) != 0) core::wake_sleepers(count_);
    }

    // What was written before the first `least` calls of add() is visible afterwards.
    void wait_for(std::uint32_t least) {
        if (core::spin_until([&] { return count_.load(std::memory_order_acquire) >= least; }))
            return;
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        for (;;) {
            const std::uint32_t seen = count_.load(std::memory_order_seq_cst);
            if (seen >= least) break;
            core::sleep_while(count_, seen);
        }
        sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }

  private:
    core::wait_word count_{0};
    std::atomic<std::uint32_t> sleepers_{0};
};

// Claims one of `all` pieces, of which `begun` counts those before. Returns its index, or -1.
inline std::int64_t claim(std::atomic<std::uint32_t>& begun, std::uint32_t before,
                          std::uint32_t all) {
    std::uint32_t seen = begun.load(std::memory_order_relaxed);
    while (seen < before + all)
        if (begun.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed))
            return seen - before;
    return -1;
}

}  // namespace carat::cpu_engine
