// This machine as plans see it, read from the operating system's description (virtual machines
// report wrong brands and models).
#pragma once

#include <string>

#include "plan/machine.hpp"

namespace carat::cpu_engine {

// Reads the folder that contains cpu0/, normally /sys/devices/system/cpu. What is missing there
// keeps its default.
[[nodiscard]] plan::machine read_machine(const std::string& folder);

// This machine, read once.
[[nodiscard]] const plan::machine& this_machine();

}  // namespace carat::cpu_engine
