#include "lab/machine/counters.hpp"

#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace carat::machine {

namespace {

// A stopped counter of L1 data load misses of this thread in user mode; errno tells why there is
// none.
class counter {
  public:
    counter() {
        perf_event_attr what{};
        what.size = sizeof what;
        what.type = PERF_TYPE_HW_CACHE;
        what.config = PERF_COUNT_HW_CACHE_L1D | (PERF_COUNT_HW_CACHE_OP_READ << 8) |
                      (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
        what.disabled = 1;
        what.exclude_kernel = 1;
        what.exclude_hv = 1;
        file_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
        error_ = file_ < 0 ? errno : 0;
    }
    counter(const counter&) = delete;
    counter& operator=(const counter&) = delete;
    ~counter() {
        if (file_ >= 0) close(file_);
    }

    [[nodiscard]] int error() const { return error_; }
    void start() const { ioctl(file_, PERF_EVENT_IOC_ENABLE, 0); }
    [[nodiscard]] std::optional<std::int64_t> stop() const {
        ioctl(file_, PERF_EVENT_IOC_DISABLE, 0);
        std::int64_t count = 0;
        if (read(file_, &count, sizeof count) != sizeof count) return {};
        return count;
    }

  private:
    int file_ = -1;
    int error_ = 0;
};

}  // namespace

std::string counters_unavailable() {
    const int why = counter().error();
    if (why == 0) return {};
    if (why == EACCES || why == EPERM)
        return "the system does not let this process count cache misses "
               "(/proc/sys/kernel/perf_event_paranoid, or the container's rules)";
    if (why == ENOENT || why == EOPNOTSUPP || why == ENODEV || why == EINVAL)
        return "this processor, or its virtual machine, has no counters of cache misses";
    return std::string("cache misses can't be counted: ") + std::strerror(why);
}

std::optional<std::int64_t> count_l1_misses(const std::function<void()>& work) {
    const counter misses;
    if (misses.error() != 0) return {};
    misses.start();
    work();
    return misses.stop();
}

}  // namespace carat::machine
