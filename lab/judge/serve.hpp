// The other end of protocol.hpp: what the process of a target, or of an implementation of carat's
// to compare it with, does all its life.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

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
    command asked = {};
    while (read(command_fd, &asked, sizeof asked) == sizeof asked) {
        if (asked.what == 'l') what.load(*reinterpret_cast<header*>(memory));
        for (std::int32_t i = 0; asked.what == 'p' && i < asked.calls; ++i)
            rows[i].status = what.prepare(rows[i], i, memory) ? 1 : 0;
        for (std::int32_t i = 0; asked.what == 'g' && i < asked.calls; ++i)
            rows[i].status = what.run(i);
        if (write(reply_fd, &asked.what, 1) != 1) return 1;
    }
    return 0;
}

}  // namespace carat::judge
