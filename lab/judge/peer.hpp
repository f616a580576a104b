// An implementation of carat's catalogue in a process like that of a target, to compare it with.
#pragma once

#include <string>
#include <vector>

#include "lab/rows/implementation.hpp"

namespace carat::judge {

// The life of such a process; the exit code.
int serve_peer(const std::string& name);

// The word after the command's name that leads there.
inline constexpr const char* peer_command = "judge-peer";

// Names of what may be compared with here, on the processor or the GPU in use: the engine, and
// vendors' routines for this product that compute in no less than its types say.
[[nodiscard]] std::vector<std::string> peers_for(const core::problem& p, rows::device where,
                                                 int threads);

}  // namespace carat::judge
