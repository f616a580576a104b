// The other side of a worker: a process that holds one implementation, makes it ready and runs it
// as it is told.
#pragma once

#include <functional>
#include <string>

#include "core/implementation.hpp"
#include "lab/process/channel.hpp"

namespace carat::session {

// By its full name. Throws carat::error where there is none.
using find_entry = std::function<const core::implementation&(const std::string& name)>;

// Answers until the other end is gone. `memory`: the descriptor of the operands' shared memory.
void serve(process::channel questions, int memory, const find_entry& find);

}  // namespace carat::session
