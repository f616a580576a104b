// Sizes at which a GPU starts to win: what carat crossover and the study of it share.
#pragma once

#include "cli/measuring.hpp"
#include "lab/request/request.hpp"

namespace carat::cli {

// Makes a session add sizes around each crossing and keep the crossings in its document. `r`, which
// has one type, one thread count and phases, must outlive the session.
void follow_crossings(session_options& options, const request::measurement& r);

}  // namespace carat::cli
