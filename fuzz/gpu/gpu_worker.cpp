#include "gpu_worker.hpp"

#include <map>
#include <mutex>

namespace carat::fuzz {

namespace {

cudaStream_t make_stream() {
    cudaStream_t made = nullptr;
    must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "a stream");
    return made;
}

gpu_worker& worker_of(std::size_t number) {
    static std::mutex guard;
    static auto& all = *new std::map<std::size_t, gpu_worker*>;
    const std::scoped_lock lock(guard);
    gpu_worker*& one = all[number];
    if (one != nullptr) return *one;
    auto* const made = new gpu_worker;
    for (std::size_t i = 1; i < made->streams.size(); ++i) made->streams[i] = make_stream();
    made->of_oracle = make_stream();
    return *(one = made);
}

thread_local std::size_t taken = 0;

}  // namespace

gpu_worker& own_worker() {
    return worker_of(taken);
}

void become_worker(std::size_t number) {
    taken = number;
}

}  // namespace carat::fuzz
