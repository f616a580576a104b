// This machine as plans see it, read from the operating system's own description: brand and model
// lie in virtual machines.
#pragma once

#include <string>

#include "plan/machine.hpp"

namespace carat::cpu_engine {

// From the folder with cpu0/ in it, normally /sys/devices/system/cpu. What is missing there keeps
// its default.
[[nodiscard]] plan::machine read_machine(const std::string& folder);

// This machine, read once.
[[nodiscard]] const plan::machine& this_machine();

}  // namespace carat::cpu_engine
