// What the kernel says of the processor, for people.
#pragma once

#include <string>
#include <vector>

namespace carat::machine {

// Every feature that matters to multiplication, by its name in /proc/cpuinfo, that this CPU has.
[[nodiscard]] std::vector<std::string> isa_features();

}  // namespace carat::machine
