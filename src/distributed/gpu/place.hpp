// A GPU's memory, and the stream on which products and copies are started.
#pragma once

#include "distributed/gpu/driver.hpp"
#include "distributed/gpu/watch.hpp"
#include "distributed/place.hpp"

namespace carat::distributed::gpu {

class gpu_place final : public place {
  public:
    // Makes the device the calling thread's. `on` may be null: the default stream.
    gpu_place(int device, stream on, watch& over)
        : device_(device), stream_(on), context_(use_device(device)), watch_(&over) {}

    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] stream on() const { return stream_; }
    [[nodiscard]] context in() const { return context_; }

    void* allocate(std::size_t bytes) override;
    void release(void* memory) noexcept override;
    void copy(const block& to, const block& from) override;
    void multiply(const block& a, const block& b, const block* e, const block& c,
                  const ending& last = {}) override;
    void clear(const block& sums) override;
    void add(const block& sums, const block& part) override;
    bool fits(const block&, double, double, const block&) override { return true; }
    void finish(const block& to, const block& sums, std::span<const block> parts, double alpha,
                double beta, const block& c) override;
    void finish(const block& to, const block& sums, double beta, const block& c,
                const ending& last) override;
    int units_of_messages() const override { return sms_of_messages_; }
    bool is_host() const override { return false; }

    // Messages that take SMs and are on their way: products started meanwhile leave them so many.
    void message_started() { ++messages_; }
    void message_finished() { --messages_; }
    void leave_messages(int sms) { sms_of_messages_ = sms; }

  private:
    int device_;
    stream stream_;
    context context_;
    watch* watch_;
    int messages_ = 0;
    int sms_of_messages_ = 0;
};

}  // namespace carat::distributed::gpu
