// A case's matrices on their way to a GPU and back, and its call between.
#pragma once

#include <functional>

#include "far.hpp"
#include "full_memory.hpp"
#include "gpu_worker.hpp"

namespace carat::fuzz {

struct gpu_running {
    const running& r;
    gpu_worker& there;
    memory_kind kind;  // of the matrices
    const memory_watch& memory;
    const far_lines* far = nullptr;
};

// At the same distance from a multiple of 256 bytes as on the host.
void upload(const gpu_running& g);
// All that was uploaded, when the work on the GPU is done.
void download(const gpu_running& g);

// What `work` throws, told.
[[nodiscard]] outcome start(const std::function<void()>& work);
// The call, and the one ahead of it that makes its A.
[[nodiscard]] outcome start_all(const gpu_running& g);

// Refused for want of memory, as it may be while memory is full.
[[nodiscard]] bool is_want_of_memory(const gpu_running& g, const outcome& o);

}  // namespace carat::fuzz
