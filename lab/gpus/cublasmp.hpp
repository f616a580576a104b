// cuBLASMp's all-gather + product and product + reduce-scatter as a team, each GPU a thread. The
// library is opened at run time: libcublasmp.so.0, or the file that CARAT_CUBLASMP names.
#pragma once

#include <string>

#include "lab/gpus/teams.hpp"

namespace carat::scaling {

// `algorithm`: "" for the library's own choice, "split", "atomic" or "serial" (no overlap). A
// product is multiplied as an all-gather + product is.
[[nodiscard]] team cublasmp_team(task what, const shape& size, int gpus,
                                 const std::string& algorithm, const pace& at);

}  // namespace carat::scaling
