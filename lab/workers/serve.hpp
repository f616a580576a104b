// The other side of a worker: a process that holds one implementation, or all those of a GPU, makes
// them ready and runs them as it is told.
#pragma once

#include <functional>
#include <string>

#include "lab/process/channel.hpp"
#include "lab/rows/implementation.hpp"
#include "lab/space/execution_space.hpp"

namespace carat::workers {

// Finds it by its full name. Throws carat::error where there is none.
using find_entry = std::function<const rows::implementation&(const std::string& name)>;
// Finds the GPU with this number. Throws carat::error where it can't be used.
using find_space = std::function<space::execution_space&(int device)>;

[[nodiscard]] space::execution_space& space_of_gpu(int device);

// Answers until the other end is gone. `memory`: the descriptor of the operands' shared memory.
void serve(process::channel questions, int memory, const find_entry& find,
           const find_space& space = space_of_gpu);

}  // namespace carat::workers
