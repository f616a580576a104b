#include "lab/measure/idle.hpp"

#include <chrono>
#include <ctime>
#include <thread>

namespace carat::measure {

namespace {

double read_s(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

idle_probe this_process() {
    return {
        [] { return read_s(CLOCK_MONOTONIC); }, [] { return read_s(CLOCK_PROCESS_CPUTIME_ID); },
        [](double time_s) { std::this_thread::sleep_for(std::chrono::duration<double>(time_s)); }};
}

void wait_until_idle(const idle_probe& probe, double most_s) {
    const double start_s = probe.now_s();
    double before_s = start_s;
    while (before_s - start_s < most_s) {
        const double cpu_before_s = probe.cpu_s();
        probe.sleep_s(5e-4);
        const double after_s = probe.now_s();
        if (probe.cpu_s() - cpu_before_s < 0.1 * (after_s - before_s)) return;
        before_s = after_s;
    }
}

}  // namespace carat::measure
