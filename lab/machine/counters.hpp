// Counts cache misses with the processor's counters, if the system has them and allows this process
// to read them. Most virtual machines have none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace carat::machine {

// Why misses cannot be counted here, in one line; empty if they can.
[[nodiscard]] std::string counters_unavailable();

// Loads of this thread that missed the L1 data cache during `work`; none if that cannot be counted.
[[nodiscard]] std::optional<std::int64_t> count_l1_misses(const std::function<void()>& work);

}  // namespace carat::machine
