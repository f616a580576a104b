// The processes that implementations are measured in: this command once more, with an argument that
// nobody types.
#pragma once

#include <string>

#include "lab/gpu/limits.hpp"
#include "lab/workers/lazy_process.hpp"

namespace carat::cli {

// Whether this process was started to be one.
[[nodiscard]] bool is_worker(int argc, const char* const* argv);

// What it does, to its end.
int serve_as_worker();

// Starts one; or one of another carat's command.
[[nodiscard]] process::child start_worker(int memory, const rows::implementation* entry);
[[nodiscard]] process::child start_worker_of(const std::string& command, int memory);

// Like gpu::know() and gpu::refresh(), but measured in a process that ends then. Both throw
// std::runtime_error.
[[nodiscard]] gpu::known_gpu know_gpu(int device);
[[nodiscard]] machine::peaks refresh_gpu(const gpu::known_gpu& known);

}  // namespace carat::cli
