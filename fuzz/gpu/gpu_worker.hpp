// Memory on both sides and streams for one thread that runs cases. The process passes workers on
// from one thread to the next, so that no thread leaves streams behind or calls CUDA when it ends.
#pragma once

#include <array>
#include <cstddef>

#include "device.hpp"
#include "fuzz/workbench.hpp"

namespace carat::fuzz {

inline constexpr std::size_t gpu_threads = 8;  // that a case has, beside the one it is in

struct gpu_worker {
    workbench on;
    std::array<device_bytes, 4> of_matrices;
    std::array<device_bytes, detail::most_steps> of_values;
    std::array<device_bytes, 2> of_scales;
    device_bytes far;
    device_bytes chained;
    device_bytes ones;
    device_bytes ends;
    std::array<cudaStream_t, 4> streams = {};  // for calls; the first is the default one
    cudaStream_t of_oracle = nullptr;
    device_bytes oracle_a;
    device_bytes oracle_b;
    device_bytes oracle_sums;
    std::array<device_bytes, 4> of_large;
    device_bytes large_bias;
    device_bytes verdicts;
};

// This thread's worker: number 0 unless it took another one.
[[nodiscard]] gpu_worker& own_worker();
// Sets it for the rest of the thread.
void become_worker(std::size_t number);

}  // namespace carat::fuzz
