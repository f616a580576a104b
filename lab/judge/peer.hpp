// An implementation of carat's catalogue in a process like a target's, for comparison.
#pragma once

#include <string>
#include <vector>

#include "lab/rows/implementation.hpp"

namespace carat::judge {

// Serves until the end and returns the exit code.
int serve_peer(const std::string& name);

// The subcommand that starts such a process.
inline constexpr const char* peer_command = "judge-peer";

// Names of the peers on this processor or the current GPU: the engine, and vendors' routines that
// compute this product with at least the precision of its types.
[[nodiscard]] std::vector<std::string> peers_for(const core::problem& p, rows::device where,
                                                 int threads);

}  // namespace carat::judge
