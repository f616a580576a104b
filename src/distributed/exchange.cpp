#include "distributed/exchange.hpp"

#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include <carat/error.hpp>

namespace carat::distributed {

void exchange::fail(int rank) {
    const std::lock_guard hold(mutex_);
    if (failed_ < 0) failed_ = rank;
    changed_.notify_all();
}

std::shared_ptr<exchange::posted> exchange::post(int from, int to, const posted& what) {
    auto item = std::make_shared<posted>(what);
    const std::lock_guard hold(mutex_);
    queues_[{from, to}].push_back(item);
    changed_.notify_all();
    return item;
}

std::shared_ptr<exchange::posted> exchange::next(int from, int to) {
    std::unique_lock hold(mutex_);
    auto& queue = queues_[{from, to}];
    wait(hold, [&] { return !queue.empty(); });
    auto item = queue.front();
    queue.pop_front();
    return item;
}

void exchange::mark_taken(posted& what) {
    const std::lock_guard hold(mutex_);
    what.taken = true;
    changed_.notify_all();
}

void exchange::wait_until_taken(const posted& what) {
    std::unique_lock hold(mutex_);
    wait(hold, [&] { return what.taken; });
}

void exchange::all_gather(int rank, const void* mine, void* all, std::size_t bytes) {
    std::unique_lock hold(mutex_);
    gathered_[static_cast<std::size_t>(rank)] = mine;
    meet(hold);
    for (std::size_t r = 0; r < gathered_.size(); ++r)
        std::memcpy(static_cast<std::byte*>(all) + r * bytes, gathered_[r], bytes);
    meet(hold);
}

void exchange::wait(std::unique_lock<std::mutex>& hold, const std::function<bool()>& ready) {
    const auto over = [&] { return failed_ >= 0 || ready(); };
    // What is waited for usually comes within microseconds, and a thread that sleeps wakes up late.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (!over() && std::chrono::steady_clock::now() < patience) {
        hold.unlock();
        std::this_thread::yield();
        hold.lock();
    }
    changed_.wait(hold, over);
    if (!ready()) give_up();
}

void exchange::check() {
    const std::lock_guard hold(mutex_);
    if (failed_ >= 0) give_up();
}

void exchange::give_up() const {
    throw error(error_code::device_failed,
                "rank " + std::to_string(failed_) + " ended before the others");
}

void exchange::meet(std::unique_lock<std::mutex>& hold) {
    const int turn = turn_;
    if (++arrived_ == ranks_) {
        arrived_ = 0;
        ++turn_;
        changed_.notify_all();
    }
    wait(hold, [&] { return turn_ != turn; });
}

void on_threads(int ranks, const std::function<void(exchange&, int)>& work) {
    if (ranks < 1)
        throw error(error_code::invalid_argument,
                    std::to_string(ranks) + " threads as ranks: there must be at least one");
    exchange shared(ranks);
    std::mutex mutex;
    std::exception_ptr first;
    std::vector<std::jthread> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.emplace_back([&, rank] {
            try {
                work(shared, rank);
            } catch (...) {
                const std::lock_guard hold(mutex);
                if (!first) first = std::current_exception();
                shared.fail(rank);
            }
        });
    all.clear();
    if (first) std::rethrow_exception(first);
}

}  // namespace carat::distributed
