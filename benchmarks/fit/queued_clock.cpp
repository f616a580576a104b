#include "benchmarks/fit/queued_clock.hpp"

#include <atomic>
#include <cstdint>
#include <cudaTypedefs.h>
#include <stdexcept>

#include "cuda/common/driver.hpp"

namespace carat::fit {

namespace {

// A stream holds 1,024 launches; whoever starts more waits for the first, which would wait for the
// gate.
constexpr int most_queued = 500;

PFN_cuStreamWaitValue32_v11070 wait_for_value() {
    static const auto found = reinterpret_cast<PFN_cuStreamWaitValue32_v11070>(
        cuda::driver_function("cuStreamWaitValue32", 11070));
    if (found == nullptr) throw std::runtime_error("the driver has no cuStreamWaitValue32");
    return found;
}

// An error between closing the gate and opening it would end in the clock's destructor, which frees
// memory and so waits for the stream.
struct opener {
    std::atomic_ref<unsigned> gate;
    ~opener() { gate = 1; }
};

}  // namespace

queued_clock::queued_clock(cudaStream_t stream) : stream_(stream) {
    for (cudaEvent_t& e : events_) benchmark::must(cudaEventCreate(&e));
    void* at = nullptr;
    benchmark::must(cudaHostAlloc(&at, sizeof *gate_, cudaHostAllocMapped));
    gate_ = static_cast<unsigned*>(at);
}

queued_clock::~queued_clock() {
    for (cudaEvent_t e : events_) cudaEventDestroy(e);
    cudaFreeHost(gate_);
}

double queued_clock::once_us(const benchmark::run& what, int runs, int launches_each, bool warms) {
    std::atomic_ref<unsigned> gate(*gate_);
    const bool waits = launches_each * (runs + 1) <= most_queued;
    benchmark::must(cudaStreamSynchronize(stream_));
    gate = waits ? 0 : 1;
    const opener at_the_end{gate};
    if (wait_for_value()(stream_, reinterpret_cast<CUdeviceptr>(gate_), 1,
                         CU_STREAM_WAIT_VALUE_EQ) != CUDA_SUCCESS)
        throw std::runtime_error("a stream can't wait for a value in memory");
    if (warms) (void)what();
    benchmark::must(cudaEventRecord(events_[0], stream_));
    for (int i = 0; i < runs; ++i) (void)what();
    benchmark::must(cudaEventRecord(events_[1], stream_));
    gate = 1;
    benchmark::must(cudaEventSynchronize(events_[1]));
    float ms = 0;
    benchmark::must(cudaEventElapsedTime(&ms, events_[0], events_[1]));
    return 1e3 * static_cast<double>(ms) / runs;
}

}  // namespace carat::fit
