// What the threads of one process share that are ranks: messages waiting for those who take them,
// and a place to meet. A thread that ends early wakes the others.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <carat/distributed.hpp>

namespace carat::distributed {

class exchange {
  public:
    // A message, and what a GPU needs to know of it: events after which it may be read, and after
    // which it has been.
    struct posted {
        const void* data = nullptr;
        std::size_t bytes = 0;
        std::shared_ptr<void> ready = nullptr;
        std::shared_ptr<void> read = nullptr;
        bool taken = false;
    };

    explicit exchange(int ranks) : ranks_(ranks), gathered_(static_cast<std::size_t>(ranks)) {}

    void fail(int rank);
    // Throws carat::error(device_failed) if some rank has failed.
    void check();
    std::shared_ptr<posted> post(int from, int to, const posted& what);
    // Waits for the next message from there.
    [[nodiscard]] std::shared_ptr<posted> next(int from, int to);
    void mark_taken(posted& what);
    void wait_until_taken(const posted& what);
    void all_gather(int rank, const void* mine, void* all, std::size_t bytes);

  private:
    [[noreturn]] void give_up() const;
    void wait(std::unique_lock<std::mutex>& hold, const std::function<bool()>& ready);
    void meet(std::unique_lock<std::mutex>& hold);

    int ranks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<int, int>, std::deque<std::shared_ptr<posted>>> queues_;
    std::vector<const void*> gathered_;
    int arrived_ = 0;
    int turn_ = 0;
    int failed_ = -1;
};

// Calls work(shared, rank) on so many threads. Returns when all have; rethrows the first exception.
void on_threads(int ranks, const std::function<void(exchange&, int)>& work);

}  // namespace carat::distributed
