// Counting cache misses by the processor's own counters, where the system has them and lets this
// process read them. Most virtual machines have none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace carat::machine {

// Why misses can't be counted here, in one line; empty when they can.
[[nodiscard]] std::string counters_unavailable();

// Loads of this thread that missed the L1 data cache during `work`; none where that can't be
// counted.
[[nodiscard]] std::optional<std::int64_t> count_l1_misses(const std::function<void()>& work);

}  // namespace carat::machine
