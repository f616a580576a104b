// Moves a case's matrices to a GPU and back, and makes the call in between.
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

// Keeps the distance from a multiple of 256 bytes that they have on the host.
void upload(const gpu_running& g);
// Copies back all that was uploaded when the GPU's work is done.
void download(const gpu_running& g);

// Runs `work` and returns what it throws as text.
[[nodiscard]] outcome start(const std::function<void()>& work);
// The call, and the earlier one that makes its A.
[[nodiscard]] outcome start_all(const gpu_running& g);

// Whether it was refused for lack of memory, which is allowed while memory is full.
[[nodiscard]] bool is_want_of_memory(const gpu_running& g, const outcome& o);

}  // namespace carat::fuzz
