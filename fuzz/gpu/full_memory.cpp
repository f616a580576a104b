#include "full_memory.hpp"

#include <algorithm>
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
    constexpr std::size_t in_pieces = 64 << 20;
    take(in_pieces, left_bytes);
    take(0, left_bytes);
}

// At once, then by halves of what can't be had.
void taken_memory::take(std::size_t piece_bytes, std::size_t left_bytes) {
    constexpr std::size_t page = 2 << 20;
    std::size_t free = 0;
    std::size_t total = 0;
    must(cudaMemGetInfo(&free, &total), "free memory");
    const std::size_t kept = left_bytes + piece_bytes;
    std::size_t wanted = free > kept ? (free - kept) / page * page : 0;
    while (wanted >= page) {
        void* memory = nullptr;
        if (cudaMalloc(&memory, wanted) != cudaSuccess) {
            static_cast<void>(cudaGetLastError());
            wanted = wanted / 2 / page * page;
            continue;
        }
        pieces_.push_back(memory);
        must(cudaMemGetInfo(&free, &total), "free memory");
        wanted = std::min(wanted, free > kept ? (free - kept) / page * page : 0);
    }
}

taken_memory::~taken_memory() {
    for (void* memory : pieces_) static_cast<void>(cudaFree(memory));
    --takers;
}

memory_watch::memory_watch() : since_(takings), at_first_(takers > 0) {}

bool memory_watch::was_full() const {
    return at_first_ || takers > 0 || takings != since_;
}

}  // namespace carat::fuzz
