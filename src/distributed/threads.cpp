// Threads of one process as ranks. A message is copied by the one who receives it.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "distributed/exchange.hpp"
#include "distributed/host_place.hpp"

namespace carat::distributed {

namespace {

class in_process_transfer final : public transfer {
  public:
    in_process_transfer(exchange& shared, int rank, std::span<const message> sends,
                        std::span<const message> receives)
        : shared_(&shared), rank_(rank), receives_(receives.begin(), receives.end()) {
        for (const message& m : sends)
            sent_.push_back(shared.post(rank, m.peer, {.data = m.data, .bytes = m.bytes}));
    }
    void arrive() override {
        for (const message& m : receives_) {
            const auto item = shared_->next(m.peer, rank_);
            std::memcpy(m.data, item->data, std::min(m.bytes, item->bytes));
            shared_->mark_taken(*item);
        }
    }
    void finish() override {
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
    on_threads(ranks, [&](exchange& shared, int rank) {
        thread_communicator comm(shared, rank, ranks, threads);
        work(comm);
    });
}

}  // namespace carat::distributed
