#include "lab/session/gpu_telemetry.hpp"

#include <algorithm>
#include <chrono>

#include "lab/gpu/gpu.hpp"

namespace carat::session {

namespace {

constexpr double least_apart_s = 0.02;
constexpr double tick_s = 0.1;             // of the energy counter, as seen on an H200
constexpr double window_s = 2.5 * tick_s;  // it ends with the third
constexpr double long_window_s = 1;        // where a batch is so long that ticks are met late

template <class T>
std::vector<T> known(const std::vector<gpu::reading>& samples,
                     std::optional<T> gpu::reading::*field) {
    std::vector<T> values;
    for (const gpu::reading& r : samples)
        if (r.*field) values.push_back(*(r.*field));
    std::ranges::sort(values);
    return values;
}

int median(const std::vector<int>& sorted) {
    return sorted[sorted.size() / 2];
}

}  // namespace

gpu_sensors sensors_in_use() {
    const auto watch = std::make_shared<gpu::monitor>(gpu::monitor_of(gpu::in_use()));
    if (!watch->problem().empty()) return {};
    const auto now_s = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    };
    return {[watch] { return watch->read(); }, [watch] { return watch->energy_j(); }, now_s};
}

void gpu_telemetry::look(gpu_sensors& from) {
    if (!from.read) return;
    const double now_s = from.now_s();
    if (!samples_.empty() && now_s - from.last_look_s < least_apart_s) return;
    samples_.push_back(from.read());
    from.last_look_s = from.now_s();
}

void gpu_telemetry::measure_energy(const gpu_sensors& from, const std::function<batch()>& run,
                                   double flop) {
    const auto energy = [&] { return from.energy_j ? from.energy_j() : std::nullopt; };
    const auto idle_j = energy();
    if (!idle_j) return;
    double begin_s = from.now_s();
    std::optional<double> begin_j = idle_j;
    batch last;
    while (begin_j == idle_j && from.now_s() - begin_s < 2 * tick_s) {
        last = run();
        begin_j = energy();
    }
    begin_s = from.now_s();
    const double wanted_s = last.time_s > tick_s / 4 ? long_window_s : window_s;
    std::int64_t runs = 0;
    std::optional<double> end_j = begin_j;
    double spent_s = 0;
    for (bool ticked = false; spent_s < wanted_s || (!ticked && spent_s < wanted_s + 2 * tick_s);) {
        runs += run().runs;
        const auto now_j = energy();
        ticked = now_j != end_j;
        end_j = now_j;
        spent_s = from.now_s() - begin_s;
    }
    if (!begin_j || !end_j || *end_j <= *begin_j) return;
    power_w_ = (*end_j - *begin_j) / spent_s;
    joules_per_gflop_ = (*end_j - *begin_j) / (static_cast<double>(runs) * flop * 1e-9);
    window_s_ = spent_s;
}

std::optional<results::gpu_facts> gpu_telemetry::facts() const {
    if (samples_.empty() && !power_w_) return {};
    results::gpu_facts found;
    found.samples = static_cast<int>(samples_.size());
    if (const auto clocks = known(samples_, &gpu::reading::clock_mhz); !clocks.empty())
        found.clock_mhz = {median(clocks), clocks.front(), clocks.back()};
    if (const auto clocks = known(samples_, &gpu::reading::memory_clock_mhz); !clocks.empty())
        found.memory_clock_mhz = median(clocks);
    if (const auto degrees = known(samples_, &gpu::reading::temperature_c); !degrees.empty())
        found.temperature_c = degrees.back();
    std::uint64_t reasons = 0;
    for (const std::uint64_t bits : known(samples_, &gpu::reading::throttle_reasons))
        reasons |= bits;
    found.throttle_reasons = gpu::throttle_names(reasons);
    found.power_w = power_w_;
    found.joules_per_gflop = joules_per_gflop_;
    found.energy_window_s = window_s_;
    return found;
}

}  // namespace carat::session
