// GPUs as ranks. Messages travel on a stream of their own: they begin after the work that was
// started before them, and the stream of the products waits for them only where finish() is called.
#include <string>
#include <vector>

#include <carat/distributed_gpu.hpp>
#include <carat/error.hpp>

#include "distributed/exchange.hpp"
#include "distributed/gpu/nccl.hpp"
#include "distributed/gpu/place.hpp"
#include "distributed/gpu/watch.hpp"

namespace carat::distributed {

namespace gpu {
namespace {

constexpr unsigned without_timing = 2;  // CU_EVENT_DISABLE_TIMING
constexpr unsigned non_blocking = 1;    // CU_STREAM_NON_BLOCKING

// An event of the calling thread's device.
class marker {
  public:
    marker() { check(driver().event_create(&event_, without_timing), "cuEventCreate"); }
    marker(const marker&) = delete;
    marker& operator=(const marker&) = delete;
    ~marker() { driver().event_destroy(event_); }
    void record(stream on) { check(driver().event_record(event_, on), "cuEventRecord"); }
    [[nodiscard]] event get() const { return event_; }

  private:
    event event_ = nullptr;
};

void wait_on(stream which, event what) {
    check(driver().stream_wait_event(which, what, 0), "cuStreamWaitEvent");
}

class own_stream {
  public:
    // Work on it comes before that on other streams where both could run.
    own_stream() {
        constexpr int highest = -5;  // clamped to what the device has
        check(driver().stream_create_with_priority(&stream_, non_blocking, highest),
              "cuStreamCreateWithPriority");
    }
    own_stream(const own_stream&) = delete;
    own_stream& operator=(const own_stream&) = delete;
    ~own_stream() { driver().stream_destroy(stream_); }
    [[nodiscard]] stream get() const { return stream_; }

  private:
    stream stream_ = nullptr;
};

// What is the same for both transports.
class gpu_communicator : public communicator {
  public:
    gpu_communicator(int device, stream on, const watch& over)
        : watch_(over), place_(device, on, watch_) {}
    place& where() override { return place_; }
    [[nodiscard]] const gpu_place& on_gpu() const { return place_; }
    // Until all products have ended; throws as watch::wait().
    void wait() { watch_.wait(place_.on()); }
    void abort() noexcept { watch_.abort(); }

  protected:
    watch watch_;
    gpu_place place_;
    own_stream moving_;
};

class nccl_transfer final : public transfer {
  public:
    nccl_transfer(const nccl::handle comm, gpu_place& at, stream moving,
                  std::span<const message> sends, std::span<const message> receives)
        : at_(&at) {
        const nccl& call = nccl_library();
        begun_.record(at.on());
        wait_on(moving, begun_.get());
        check_nccl(call.group_start(), "ncclGroupStart");
        int failed = 0;
        const auto note = [&](int result) { failed = failed == 0 ? result : failed; };
        for (const message& m : sends)
            note(call.send(m.data, m.bytes, nccl::bytes, m.peer, comm, moving));
        for (const message& m : receives)
            note(call.receive(m.data, m.bytes, nccl::bytes, m.peer, comm, moving));
        check_nccl(call.group_end(), "ncclGroupEnd");
        check_nccl(failed, "ncclSend or ncclRecv");
        done_.record(moving);
        at.message_started();
    }
    void arrive() override {
        wait_on(at_->on(), done_.get());
        at_->message_finished();
    }
    void finish() override {}  // what was sent ended with what was received

  private:
    gpu_place* at_;
    marker begun_, done_;
};

class nccl_communicator final : public gpu_communicator {
  public:
    // `shared`: the threads of this process, if all ranks are; the communicator is then with_gpus's
    // own. Otherwise NCCL itself carries what the ranks tell each other. `ctas`: what NCCL's
    // kernels take of the SMs.
    nccl_communicator(nccl::handle comm, int device, stream on, exchange* shared, int ctas)
        : gpu_communicator(device, on, watch(shared, comm, shared != nullptr)),
          comm_(comm),
          shared_(shared) {
        place_.leave_messages(ctas > 0 ? ctas : usual_nccl_ctas);
        check_nccl(nccl_library().rank(comm, &rank_), "ncclCommUserRank");
        check_nccl(nccl_library().count(comm, &size_), "ncclCommCount");
    }
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void all_gather(const void* mine, void* all, std::size_t bytes) override {
        if (shared_ != nullptr) return shared_->all_gather(rank_, mine, all, bytes);
        const auto ranks = static_cast<std::size_t>(size_);
        const memory staging(place_, (ranks + 1) * bytes);
        auto* const sent = static_cast<std::byte*>(staging.get());
        const auto address = [](const void* p) { return reinterpret_cast<device_pointer>(p); };
        upload(address(sent), mine, bytes);
        check_nccl(
            nccl_library().all_gather(sent, sent + bytes, bytes, nccl::bytes, comm_, moving_.get()),
            "ncclAllGather");
        watch_.wait(moving_.get());
        check(driver().download(all, address(sent + bytes), ranks * bytes), "cuMemcpyDtoH");
    }
    std::unique_ptr<transfer> start(std::span<const message> sends,
                                    std::span<const message> receives) override {
        return std::make_unique<nccl_transfer>(comm_, place_, moving_.get(), sends, receives);
    }

  private:
    nccl::handle comm_;
    exchange* shared_;
    int rank_ = 0;
    int size_ = 1;
};

// The receiver copies, after the sender's event; the sender's stream then waits for the copy. Both
// keep the events, since either may be the last to wait for them.
class copy_transfer final : public transfer {
  public:
    copy_transfer(exchange& shared, int rank, const std::vector<context>& contexts,
                  const gpu_place& at, stream moving, std::span<const message> sends,
                  std::span<const message> receives)
        : shared_(&shared), at_(&at) {
        begun_->record(at.on());
        for (const message& m : sends)
            sent_.push_back(
                shared.post(rank, m.peer, {.data = m.data, .bytes = m.bytes, .ready = begun_}));
        wait_on(moving, begun_->get());
        std::vector<std::shared_ptr<exchange::posted>> taken;
        for (const message& m : receives) {
            const auto& item = taken.emplace_back(shared.next(m.peer, rank));
            wait_on(moving, static_cast<const marker*>(item->ready.get())->get());
            check(driver().copy_peer_async(reinterpret_cast<device_pointer>(m.data), at.in(),
                                           reinterpret_cast<device_pointer>(item->data),
                                           contexts[static_cast<std::size_t>(m.peer)], m.bytes,
                                           moving),
                  "cuMemcpyPeerAsync");
        }
        done_->record(moving);
        for (const auto& item : taken) {
            item->read = done_;
            shared.mark_taken(*item);
        }
    }
    void arrive() override { wait_on(at_->on(), done_->get()); }
    void finish() override {
        for (const auto& item : sent_) {
            shared_->wait_until_taken(*item);
            wait_on(at_->on(), static_cast<const marker*>(item->read.get())->get());
        }
    }

  private:
    exchange* shared_;
    const gpu_place* at_;
    std::shared_ptr<marker> begun_ = std::make_shared<marker>();
    std::shared_ptr<marker> done_ = std::make_shared<marker>();
    std::vector<std::shared_ptr<exchange::posted>> sent_;
};

class copy_communicator final : public gpu_communicator {
  public:
    copy_communicator(exchange& shared, int rank, int size, stream on)
        : gpu_communicator(rank, on, watch(&shared)),
          shared_(&shared),
          rank_(rank),
          contexts_(static_cast<std::size_t>(size)) {
        const context own = place_.in();
        shared.all_gather(rank, &own, contexts_.data(), sizeof own);
        for (const context other : contexts_) {
            constexpr status already = 704;  // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
            if (other == own) continue;
            if (const status result = driver().enable_peer(other, 0); result != already)
                check(result, "cuCtxEnablePeerAccess");
        }
    }
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(contexts_.size()); }
    void all_gather(const void* mine, void* all, std::size_t bytes) override {
        shared_->all_gather(rank_, mine, all, bytes);
    }
    std::unique_ptr<transfer> start(std::span<const message> sends,
                                    std::span<const message> receives) override {
        return std::make_unique<copy_transfer>(*shared_, rank_, contexts_, place_, moving_.get(),
                                               sends, receives);
    }

  private:
    exchange* shared_;
    int rank_;
    std::vector<context> contexts_;
};

// A stream for the products of one thread's device.
class products_stream {
  public:
    explicit products_stream(int device) {
        use_device(device);
        check(driver().stream_create(&stream_, non_blocking), "cuStreamCreate");
    }
    products_stream(const products_stream&) = delete;
    products_stream& operator=(const products_stream&) = delete;
    ~products_stream() { driver().stream_destroy(stream_); }
    [[nodiscard]] stream get() const { return stream_; }

  private:
    stream stream_ = nullptr;
};

void run_over_nccl(exchange& shared, int rank, int gpus, const products_stream& on,
                   const std::function<void(communicator&)>& work) {
    const nccl& call = nccl_library();
    nccl::unique_id id{};
    std::vector<nccl::unique_id> all(static_cast<std::size_t>(gpus));
    if (rank == 0) check_nccl(call.get_unique_id(&id), "ncclGetUniqueId");
    shared.all_gather(rank, &id, all.data(), sizeof id);
    nccl::handle handle = nullptr;
    nccl::config how;
    const int ctas = nccl_ctas();
    if (ctas > 0) how.most_ctas = ctas;
    check_nccl(call.init_rank(&handle, gpus, all.front(), rank, &how), "ncclCommInitRankConfig");
    nccl_communicator comm(handle, rank, on.get(), &shared, ctas);
    try {
        work(comm);
        comm.wait();
    } catch (...) {
        comm.abort();
        throw;
    }
    call.destroy(handle);
}

}  // namespace
}  // namespace gpu

void with_gpus(int gpus, const std::function<void(communicator&)>& work, gpu_transport by) {
    if (const int found = gpu::device_count(); gpus > found)
        throw error(error_code::unsupported, "with_gpus: " + std::to_string(gpus) +
                                                 " GPUs were asked for, but this machine has " +
                                                 std::to_string(found));
    on_threads(gpus, [&](exchange& shared, int rank) {
        const gpu::products_stream on(rank);
        if (by == gpu_transport::nccl) return gpu::run_over_nccl(shared, rank, gpus, on, work);
        gpu::copy_communicator comm(shared, rank, gpus, on.get());
        work(comm);
        comm.wait();
    });
}

std::unique_ptr<communicator> over_nccl(void* nccl_comm, const carat::cuda& where, int ctas) {
    if (where.device < 0)
        throw error(error_code::invalid_argument,
                    "over_nccl: the device is " + std::to_string(where.device) +
                        ": name the one that the communicator was made for");
    if (ctas < 0 || ctas > gpu::most_nccl_ctas)
        throw error(error_code::invalid_argument,
                    "over_nccl: the number of CTAs is " + std::to_string(ctas) +
                        ": give the communicator's maxCTAs, at most " +
                        std::to_string(gpu::most_nccl_ctas) + ", or 0 if it has none");
    return std::make_unique<gpu::nccl_communicator>(nccl_comm, where.device, where.stream, nullptr,
                                                    ctas);
}

carat::cuda place_of(communicator& comm) {
    const auto* on_gpu = dynamic_cast<gpu::gpu_communicator*>(&comm);
    if (on_gpu == nullptr)
        throw error(error_code::invalid_argument,
                    "place_of: the communicator's matrices are in host memory: take one of "
                    "with_gpus or over_nccl");
    return {static_cast<CUstream_st*>(on_gpu->on_gpu().on()), on_gpu->on_gpu().device()};
}

std::string nccl_in_use() {
    return gpu::nccl_version();
}

}  // namespace carat::distributed
