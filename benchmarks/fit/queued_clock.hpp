// A clock for work that the GPU does faster than the host can start it. The stream waits until the
// host has queued all that is timed, so the GPU never waits for the host.
#pragma once

#include <array>
#include <cuda_runtime_api.h>

#include "benchmarks/gpu_call/turns.hpp"

namespace carat::fit {

class queued_clock {
  public:
    explicit queued_clock(cudaStream_t stream);
    queued_clock(const queued_clock&) = delete;
    queued_clock& operator=(const queued_clock&) = delete;
    ~queued_clock();

    /// Microseconds of one of `runs`, after one that isn't counted if it `warms` up. A stream holds
    /// 1,024 launches: where there may be more, nothing waits, and the host may be what is timed.
    [[nodiscard]] double once_us(const benchmark::run& what, int runs, int launches_each,
                                 bool warms = true);

  private:
    cudaStream_t stream_;
    std::array<cudaEvent_t, 2> events_{};
    unsigned* gate_ = nullptr;  // in host memory: 1 lets the stream go on
};

}  // namespace carat::fit
