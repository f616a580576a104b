// The channel of lab/judge/device/channel.hpp for named shared memory, with streams on threads.
#include "lab/judge/device/channel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "stream.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

class thread_stream : public fake_gpu::stream {
  public:
    thread_stream();

    void add(std::function<void()> work) {
        const std::scoped_lock lock(guard_);
        work_.push_back(std::move(work));
        changed_.notify_all();
    }
    void drain() {
        std::unique_lock lock(guard_);
        changed_.wait(lock, [this] { return work_.empty(); });
    }

  private:
    void serve() {
        for (;;) {
            std::unique_lock lock(guard_);
            changed_.wait(lock, [this] { return !work_.empty(); });
            const std::function<void()> next = work_.front();
            lock.unlock();
            next();
            lock.lock();
            work_.pop_front();
            changed_.notify_all();
        }
    }

    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> work_;  // the first is at work
};

struct state {
    char* live = nullptr;
    char* snapshot = nullptr;
    std::vector<thread_stream*> streams;
    std::atomic<bool> is_open = true;
    clock_type::time_point begin, calls_end, copies_end;

    thread_stream& given() { return *streams.front(); }
};

state& own() {
    static state& one = *new state;
    return one;
}

thread_stream* make_stream() {
    own().streams.push_back(new thread_stream);
    return own().streams.back();
}

thread_stream::thread_stream()
    : stream{[](stream* on, void (*work)(void*), void* data) {
                 static_cast<thread_stream*>(on)->add([=] { work(data); });
             },
             []() -> stream* { return make_stream(); },
             [](stream* of) { static_cast<thread_stream*>(of)->drain(); }} {
    std::thread([this] { serve(); }).detach();
}

char* mapped(const unsigned char* name) {
    const int file = shm_open(reinterpret_cast<const char*>(name), O_RDWR, 0);
    struct stat facts = {};
    if (file < 0 || fstat(file, &facts) != 0) return nullptr;
    void* memory = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

double seconds(clock_type::duration time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

void carat_channel_open(carat_gpu_channel* channel, void*) {
    channel->message[0] = '\0';
    own().live = mapped(channel->live);
    own().snapshot = mapped(channel->snapshot);
    if (own().live == nullptr || own().snapshot == nullptr)
        std::snprintf(channel->message, sizeof channel->message, "no memory of that name");
    make_stream();
}

void* carat_channel_stream() {
    return own().streams.empty() ? nullptr : static_cast<fake_gpu::stream*>(&own().given());
}

char* carat_channel_memory() {
    return own().live;
}

void carat_channel_hold(carat_gpu_channel* channel) {
    channel->message[0] = '\0';
    own().is_open = false;
    own().given().add([] {
        while (!own().is_open) std::this_thread::sleep_for(std::chrono::microseconds(50));
        own().begin = clock_type::now();
    });
}

void carat_channel_calls_end(carat_gpu_channel*) {
    own().given().add([] { own().calls_end = clock_type::now(); });
}

void carat_channel_copy(carat_gpu_channel*, std::int64_t offset, std::int64_t pitch,
                        std::int64_t width, std::int64_t height) {
    own().given().add([=] {
        for (std::int64_t i = 0; i < height; ++i)
            std::memcpy(own().snapshot + offset + i * pitch, own().live + offset + i * pitch,
                        static_cast<std::size_t>(width));
    });
}

void carat_channel_copies_end(carat_gpu_channel*) {
    own().given().add([] { own().copies_end = clock_type::now(); });
}

void carat_channel_release(carat_gpu_channel* channel) {
    own().is_open = true;
    own().given().drain();
    channel->calls_s = seconds(own().calls_end - own().begin);
    channel->copies_s = seconds(own().copies_end - own().calls_end);
}

void carat_channel_wait(carat_gpu_channel*) {
    own().given().drain();
}

void carat_channel_finish(carat_gpu_channel* channel) {
    const auto began = clock_type::now();
    for (thread_stream* one : own().streams) one->drain();
    channel->late_s = seconds(clock_type::now() - began);
}
