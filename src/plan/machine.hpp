// What a plan needs to know of the machine: the caches one core may fill. Read from the kernel's
// own description, because brand and model lie in virtual machines.
#pragma once

#include <cstdint>
#include <string>

namespace carat::plan {

// The defaults are small caches that nearly every machine has: a safe guess where the kernel does
// not tell.
struct machine {
    std::int64_t l1_bytes = 32 << 10;   // data
    std::int64_t l2_bytes = 256 << 10;  // one core's share
    std::int64_t l3_bytes = 1 << 20;    // one core's share
};

// From the folder with cpu0/ in it, normally /sys/devices/system/cpu. What is missing there keeps
// its default.
[[nodiscard]] machine read_machine(const std::string& folder);

// This machine, read once.
[[nodiscard]] const machine& this_machine();

}  // namespace carat::plan
