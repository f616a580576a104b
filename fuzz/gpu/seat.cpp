#include "seat.hpp"

#include <map>
#include <mutex>

namespace carat::fuzz {

namespace {

cudaStream_t make_stream() {
    cudaStream_t made = nullptr;
    must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "a stream");
    return made;
}

seat& seat_of(std::size_t number) {
    static std::mutex guard;
    static auto& all = *new std::map<std::size_t, seat*>;
    const std::scoped_lock lock(guard);
    seat*& one = all[number];
    if (one != nullptr) return *one;
    auto* const made = new seat;
    for (std::size_t i = 1; i < made->streams.size(); ++i) made->streams[i] = make_stream();
    made->of_oracle = make_stream();
    return *(one = made);
}

thread_local std::size_t taken = 0;

}  // namespace

seat& own_seat() {
    return seat_of(taken);
}

void take_seat(std::size_t number) {
    taken = number;
}

}  // namespace carat::fuzz
