// The hardware threads that the calling thread may use, and pinning it to one of them.
#pragma once

#include <vector>

namespace carat::machine {

// The system's numbers, ascending; empty if the system does not tell.
[[nodiscard]] std::vector<int> allowed_cpus();

// Pins the calling thread to `cpu`. If the system refuses, it stays where it was: a measurement is
// then noisier, not wrong.
void pin_this_thread(int cpu);

}  // namespace carat::machine
