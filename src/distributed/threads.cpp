// Threads of one process as ranks. A message is copied by the one who receives it.
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <carat/error.hpp>

#include "distributed/host_place.hpp"

namespace carat::distributed {

namespace {

// What the threads share.
class exchange {
  public:
    explicit exchange(int ranks) : ranks_(ranks), gathered_(static_cast<std::size_t>(ranks)) {}

    struct posted {
        const void* data;
        std::size_t bytes;
        bool taken = false;
    };

    void fail(int rank) {
        const std::lock_guard hold(mutex_);
        if (failed_ < 0) failed_ = rank;
        changed_.notify_all();
    }

    std::shared_ptr<posted> post(int from, int to, const void* data, std::size_t bytes) {
        const std::lock_guard hold(mutex_);
        auto item = std::make_shared<posted>(posted{data, bytes});
        queues_[{from, to}].push_back(item);
        changed_.notify_all();
        return item;
    }

    void take(int from, int to, void* data, std::size_t bytes) {
        std::unique_lock hold(mutex_);
        auto& queue = queues_[{from, to}];
        wait(hold, [&] { return !queue.empty(); });
        const auto item = queue.front();
        queue.pop_front();
        hold.unlock();
        std::memcpy(data, item->data, std::min(bytes, item->bytes));
        hold.lock();
        item->taken = true;
        changed_.notify_all();
    }

    void wait_until_taken(const posted& item) {
        std::unique_lock hold(mutex_);
        wait(hold, [&] { return item.taken; });
    }

    void all_gather(int rank, const void* mine, void* all, std::size_t bytes) {
        std::unique_lock hold(mutex_);
        gathered_[static_cast<std::size_t>(rank)] = mine;
        meet(hold);
        for (std::size_t r = 0; r < gathered_.size(); ++r)
            std::memcpy(static_cast<std::byte*>(all) + r * bytes, gathered_[r], bytes);
        meet(hold);
    }

  private:
    template <class Ready>
    void wait(std::unique_lock<std::mutex>& hold, const Ready& ready) {
        changed_.wait(hold, [&] { return failed_ >= 0 || ready(); });
        if (!ready())
            throw error(error_code::device_failed,
                        "rank " + std::to_string(failed_) + " ended before the others");
    }
    void meet(std::unique_lock<std::mutex>& hold) {
        const int turn = turn_;
        if (++arrived_ == ranks_) {
            arrived_ = 0;
            ++turn_;
            changed_.notify_all();
        }
        wait(hold, [&] { return turn_ != turn; });
    }

    int ranks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<int, int>, std::deque<std::shared_ptr<posted>>> queues_;
    std::vector<const void*> gathered_;
    int arrived_ = 0;
    int turn_ = 0;
    int failed_ = -1;
};

class in_process_transfer final : public transfer {
  public:
    in_process_transfer(exchange& shared, int rank, std::span<const message> sends,
                        std::span<const message> receives)
        : shared_(&shared), rank_(rank), receives_(receives.begin(), receives.end()) {
        for (const message& m : sends) sent_.push_back(shared.post(rank, m.peer, m.data, m.bytes));
    }
    void finish() override {
        for (const message& m : receives_) shared_->take(m.peer, rank_, m.data, m.bytes);
        for (const auto& item : sent_) shared_->wait_until_taken(*item);
    }

  private:
    exchange* shared_;
    int rank_;
    std::vector<message> receives_;
    std::vector<std::shared_ptr<exchange::posted>> sent_;
};

class thread_communicator final : public communicator {
  public:
    thread_communicator(exchange& shared, int rank, int size, int threads)
        : shared_(&shared), rank_(rank), size_(size), place_(threads) {}
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void all_gather(const void* mine, void* all, std::size_t bytes) override {
        shared_->all_gather(rank_, mine, all, bytes);
    }
    std::unique_ptr<transfer> start(std::span<const message> sends,
                                    std::span<const message> receives) override {
        return std::make_unique<in_process_transfer>(*shared_, rank_, sends, receives);
    }
    place& where() override { return place_; }

  private:
    exchange* shared_;
    int rank_;
    int size_;
    host_place place_;
};

}  // namespace

void with_threads(int ranks, const std::function<void(communicator&)>& work, int threads) {
    if (ranks < 1)
        throw error(error_code::invalid_argument, "with_threads: " + std::to_string(ranks) +
                                                      " ranks: there must be at least one");
    exchange shared(ranks);
    std::mutex mutex;
    std::exception_ptr first;
    {
        std::vector<std::jthread> all;
        for (int rank = 0; rank < ranks; ++rank)
            all.emplace_back([&, rank] {
                try {
                    thread_communicator comm(shared, rank, ranks, threads);
                    work(comm);
                } catch (...) {
                    const std::lock_guard hold(mutex);
                    if (!first) first = std::current_exception();
                    shared.fail(rank);
                }
            });
    }
    if (first) std::rethrow_exception(first);
}

}  // namespace carat::distributed
