#include "full_memory.hpp"

#include <atomic>
#include <cuda_runtime_api.h>

#include "device.hpp"

namespace carat::fuzz {

namespace {

std::atomic<int> takers = 0;
std::atomic<std::uint64_t> takings = 0;

}  // namespace

taken_memory::taken_memory(std::size_t left_bytes) {
    ++takers;
    ++takings;
    std::size_t free = 0;
    std::size_t total = 0;
    must(cudaMemGetInfo(&free, &total), "free memory");
    if (free > left_bytes && cudaMalloc(&memory_, free - left_bytes) == cudaSuccess) return;
    memory_ = nullptr;
    static_cast<void>(cudaGetLastError());
}

taken_memory::~taken_memory() {
    if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
    --takers;
}

memory_watch::memory_watch() : since_(takings) {}

bool memory_watch::was_full() const {
    return takers > 0 || takings != since_;
}

}  // namespace carat::fuzz
