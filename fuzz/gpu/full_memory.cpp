#include "full_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cuda_runtime_api.h>
#include <mutex>
#include <shared_mutex>

namespace carat::fuzz {

namespace {

std::atomic<int> takers = 0;
std::atomic<std::uint64_t> takings = 0;
std::shared_mutex cases;
std::mutex next;  // so that cases that begin don't keep one that takes memory waiting

}  // namespace

case_in_progress::case_in_progress() {
    const std::scoped_lock turn(next);
    cases.lock_shared();
}

case_in_progress::~case_in_progress() {
    cases.unlock_shared();
}

taken_memory::taken_memory(std::size_t left_bytes) {
    cases.unlock_shared();
    {
        const std::scoped_lock turn(next);
        const std::scoped_lock alone(cases);
        ++takers;
        ++takings;
        take_all_but(left_bytes);
    }
    cases.lock_shared();
}

void taken_memory::take_all_but(std::size_t left_bytes) {
    constexpr std::size_t in_pieces = 64 << 20;
    take(in_pieces, left_bytes);
    take(0, left_bytes);
}

// Takes pieces of this size, then halves what cannot be had.
void taken_memory::take(std::size_t piece_bytes, std::size_t left_bytes) {
    constexpr std::size_t page = 2 << 20;
    const std::size_t kept = left_bytes + piece_bytes;
    const auto left = [&] {
        std::size_t free = 0;
        std::size_t total = 0;
        static_cast<void>(cudaMemGetInfo(&free, &total));
        return free > kept ? (free - kept) / page * page : 0;
    };
    std::size_t wanted = left();
    while (wanted >= page) {
        void* memory = nullptr;
        if (cudaMalloc(&memory, wanted) != cudaSuccess) {
            static_cast<void>(cudaGetLastError());
            wanted = wanted / 2 / page * page;
            continue;
        }
        pieces_.push_back(memory);
        wanted = std::min(wanted, left());
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
