// The other side of a worker: a process that holds one implementation, or all those of a GPU, makes
// them ready and runs them as it is told.
#pragma once

#include <functional>
#include <string>

#include "core/execution_space.hpp"
#include "core/implementation.hpp"
#include "lab/process/channel.hpp"

namespace carat::workers {

// By its full name. Throws carat::error where there is none.
using find_entry = std::function<const core::implementation&(const std::string& name)>;
// Of the GPU with this number. Throws carat::error where it can't be used.
using find_space = std::function<core::execution_space&(int device)>;

[[nodiscard]] core::execution_space& space_of_gpu(int device);

// Answers until the other end is gone. `memory`: the descriptor of the operands' shared memory.
void serve(process::channel questions, int memory, const find_entry& find,
           const find_space& space = space_of_gpu);

}  // namespace carat::workers
