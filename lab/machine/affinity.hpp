// Which hardware threads the calling thread may run on, and keeping it on one of them.
#pragma once

#include <vector>

namespace carat::machine {

// By the system's numbers, ascending; empty when the system does not tell.
[[nodiscard]] std::vector<int> allowed_cpus();

// Keeps the calling thread on `cpu`. Where the system refuses it stays where it was: a measurement
// is then noisier, not wrong.
void pin_this_thread(int cpu);

}  // namespace carat::machine
