// carat's products as a team: the layouts, and the local matrices.
#pragma once

#include <string>

#include <carat/distributed_gpu.hpp>

#include "lab/gpus/teams.hpp"

namespace carat::scaling {

// What the GPUs take for their shares of the product at the same time, without any message.
[[nodiscard]] team local_team(task what, const shape& size, int gpus, const pace& at);

[[nodiscard]] team carat_team(task what, const shape& size, int gpus, ranks::gpu_transport by,
                              const pace& at);

}  // namespace carat::scaling
