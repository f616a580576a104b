// The processes that implementations are measured in: this command once more, with an argument that
// nobody types.
#pragma once

#include <string>

#include "lab/session/crew.hpp"

namespace carat::cli {

// Whether this process was started to be one.
[[nodiscard]] bool is_worker(int argc, const char* const* argv);

// What it does, to its end.
int serve_as_worker();

// Starts one; or one of another carat's command.
[[nodiscard]] process::child start_worker(const core::implementation& entry, int memory);
[[nodiscard]] process::child start_worker_of(const std::string& command, int memory);

}  // namespace carat::cli
