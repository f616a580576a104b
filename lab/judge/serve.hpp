// The process's side of protocol.hpp, for targets and for carat's own implementations.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carat/carat_kernel.h>

#include "lab/judge/device/channel.hpp"
#include "lab/judge/protocol.hpp"

namespace carat::judge {

// load() fills in the header, prepare() returns whether it takes a product, run() multiplies.
// Addresses are this process's.
class service {
  public:
    service() = default;
    service(const service&) = delete;
    service& operator=(const service&) = delete;
    virtual ~service() = default;
    virtual void load(header& to) = 0;
    virtual bool prepare(const call& row, std::int32_t index, char* memory) = 0;
    virtual std::int64_t run(std::int32_t index) = 0;
    // The GPU stream that run() uses, or null if any will do.
    virtual void* own_stream() { return nullptr; }
};

// Answers the commands for matrices in a GPU's memory.
class gpu_service {
  public:
    gpu_service(service& what, carat_gpu_channel* channel, call* rows)
        : what_(what), channel_(channel), rows_(rows) {}

    // True from the first 'm' on.
    [[nodiscard]] bool is_open() const { return open_; }

    void answer(const command& asked) {
        if (asked.what == 'm') {
            carat_channel_open(channel_, what_.own_stream());
            open_ = true;
        }
        if (asked.what == 'q') enqueue(asked.calls);
        if (asked.what == 'w') {
            channel_->message[0] = '\0';
            run(asked.calls);
            carat_channel_wait(channel_);
        }
        if (asked.what == 'g') carat_channel_release(channel_);
        if (asked.what == 's') carat_channel_finish(channel_);
    }

  private:
    void run(std::int32_t calls) {
        for (std::int32_t i = 0; i < calls; ++i) rows_[i].status = what_.run(i);
    }

    void enqueue(std::int32_t calls) {
        carat_channel_hold(channel_);
        run(calls);
        carat_channel_calls_end(channel_);
        for (std::int32_t i = 0; i < calls; ++i) {
            const call& r = rows_[i];
            const std::int64_t size = r.type == CARAT_F64 ? 8 : 4;
            carat_channel_copy(channel_, r.c, r.ldc * size, r.n * size, r.m);
        }
        carat_channel_copies_end(channel_);
    }

    service& what_;
    carat_gpu_channel* channel_;
    call* rows_;
    bool open_ = false;
};

// Serves until the judge closes the pipe and returns the exit code. If the judge ends, so does this
// process.
inline int serve(service& what) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct stat file = {};
    if (fstat(memory_fd, &file) != 0) return 1;
    void* mapped = mmap(nullptr, static_cast<std::size_t>(file.st_size), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, memory_fd, 0);
    if (mapped == MAP_FAILED) return 1;
    auto* memory = static_cast<char*>(mapped);
    auto* rows = reinterpret_cast<call*>(memory + table_begins);
    gpu_service gpu(what, reinterpret_cast<carat_gpu_channel*>(memory + data_begins), rows);
    command asked = {};
    while (read(command_fd, &asked, sizeof asked) == sizeof asked) {
        if (asked.what == 'l') what.load(*reinterpret_cast<header*>(memory));
        for (std::int32_t i = 0; asked.what == 'p' && i < asked.calls; ++i)
            rows[i].status =
                what.prepare(rows[i], i, gpu.is_open() ? carat_channel_memory() : memory) ? 1 : 0;
        if (gpu.is_open() || asked.what == 'm')
            gpu.answer(asked);
        else
            for (std::int32_t i = 0; asked.what == 'g' && i < asked.calls; ++i)
                rows[i].status = what.run(i);
        if (write(reply_fd, &asked.what, 1) != 1) return 1;
    }
    return 0;
}

}  // namespace carat::judge
