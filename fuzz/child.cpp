#include "child.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace carat::fuzz {

namespace {

using clock = std::chrono::steady_clock;

// Whether it ended before `until`; polls less often if it takes long.
bool ends(pid_t child, int& status, const std::function<bool()>& may_go_on) {
    std::chrono::microseconds pause(200);
    while (true) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return true;
        if (ended < 0 || !may_go_on()) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
}

}  // namespace

ending end_of_child(const std::function<void()>& work, std::chrono::seconds most,
                    const std::function<std::uint64_t()>& progress) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) work();
    if (child < 0) {
        std::fprintf(stderr, "carat_fuzz: no process could be started\n");
        std::exit(2);
    }
    ending e;
    std::uint64_t seen = progress();
    clock::time_point since = clock::now();
    const auto gets_on = [&] {
        if (const std::uint64_t now = progress(); now != seen) {
            seen = now;
            since = clock::now();
        }
        return clock::now() - since < most;
    };
    if (ends(child, e.status, gets_on)) return e;
    e.in_time = false;
    kill(child, SIGKILL);
    // A process that waits for a device inside the kernel cannot be killed and is left behind.
    const clock::time_point killed = clock::now();
    e.is_there =
        !ends(child, e.status, [&] { return clock::now() - killed < std::chrono::seconds(10); });
    return e;
}

}  // namespace carat::fuzz
