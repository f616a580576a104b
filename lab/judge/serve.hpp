// The other end of protocol.hpp: what the process of a target, or of an implementation of carat's
// to compare it with, does all its life.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carat/carat_kernel.h>

#include "lab/judge/device/door.hpp"
#include "lab/judge/protocol.hpp"

namespace carat::judge {

// What is served: load() describes it in the header, prepare() says whether it takes a product,
// run() multiplies. Addresses are those of this process.
class service {
  public:
    service() = default;
    service(const service&) = delete;
    service& operator=(const service&) = delete;
    virtual ~service() = default;
    virtual void load(header& to) = 0;
    virtual bool prepare(const call& row, std::int32_t index, char* memory) = 0;
    virtual std::int64_t run(std::int32_t index) = 0;
    // On a GPU: the stream that run() uses; null: it takes any.
    virtual void* own_stream() { return nullptr; }
};

// The orders of what lies in a GPU's memory.
class gpu_service {
  public:
    gpu_service(service& what, carat_door* door, call* rows)
        : what_(what), door_(door), rows_(rows) {}

    // From the first 'm' on.
    [[nodiscard]] bool is_open() const { return open_; }

    void answer(const command& asked) {
        if (asked.what == 'm') {
            carat_door_open(door_, what_.own_stream());
            open_ = true;
        }
        if (asked.what == 'q') enqueue(asked.calls);
        if (asked.what == 'w') {
            door_->message[0] = '\0';
            run(asked.calls);
            carat_door_wait(door_);
        }
        if (asked.what == 'g') carat_door_release(door_);
        if (asked.what == 's') carat_door_finish(door_);
    }

  private:
    void run(std::int32_t calls) {
        for (std::int32_t i = 0; i < calls; ++i) rows_[i].status = what_.run(i);
    }

    void enqueue(std::int32_t calls) {
        carat_door_hold(door_);
        run(calls);
        carat_door_calls_end(door_);
        for (std::int32_t i = 0; i < calls; ++i) {
            const call& r = rows_[i];
            const std::int64_t size = r.type == CARAT_F64 ? 8 : 4;
            carat_door_copy(door_, r.c, r.ldc * size, r.n * size, r.m);
        }
        carat_door_copies_end(door_);
    }

    service& what_;
    carat_door* door_;
    call* rows_;
    bool open_ = false;
};

// Until the referee closes the pipe; the exit code. The referee's end ends this process, too.
inline int serve(service& what) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct stat file = {};
    if (fstat(memory_fd, &file) != 0) return 1;
    void* mapped = mmap(nullptr, static_cast<std::size_t>(file.st_size), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, memory_fd, 0);
    if (mapped == MAP_FAILED) return 1;
    auto* memory = static_cast<char*>(mapped);
    auto* rows = reinterpret_cast<call*>(memory + table_begins);
    gpu_service gpu(what, reinterpret_cast<carat_door*>(memory + data_begins), rows);
    command asked = {};
    while (read(command_fd, &asked, sizeof asked) == sizeof asked) {
        if (asked.what == 'l') what.load(*reinterpret_cast<header*>(memory));
        for (std::int32_t i = 0; asked.what == 'p' && i < asked.calls; ++i)
            rows[i].status =
                what.prepare(rows[i], i, gpu.is_open() ? carat_door_memory() : memory) ? 1 : 0;
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
