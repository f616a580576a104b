#include "lab/session/gpu_telemetry.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "lab/gpu/gpu.hpp"

namespace carat::session {

namespace {

constexpr double least_apart_s = 0.02;
constexpr double tick_s = 0.1;                   // of the energy counter, as seen on an H200
constexpr double back_to_back_s = 4.5 * tick_s;  // three whole ticks lie within
constexpr double start_s = 0.03;                 // until the GPU works

struct tick {
    double at_s, energy_j;
};

// Notes when the counter advances, in a thread of its own, as long as it lives.
class tick_watch {
  public:
    explicit tick_watch(const gpu_sensors& from)
        : from_(from),
          begin_s_(from.now_s()),
          last_j_(from.energy_j()),
          thread_([this] { watch(); }) {}
    tick_watch(const tick_watch&) = delete;
    tick_watch& operator=(const tick_watch&) = delete;
    ~tick_watch() { stop(); }

    [[nodiscard]] std::vector<tick> seen() {
        stop();
        return ticks_;
    }

  private:
    void watch() {
        while (!done_) {
            const std::optional<double> now_j = from_.energy_j();
            const double now_s = from_.now_s();
            if (now_j && now_j != last_j_ && now_s > begin_s_ + start_s && !done_)
                ticks_.push_back({now_s, *now_j});
            last_j_ = now_j;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    void stop() {
        done_ = true;
        if (thread_.joinable()) thread_.join();
    }

    const gpu_sensors& from_;
    double begin_s_;
    std::optional<double> last_j_;
    std::vector<tick> ticks_;
    std::atomic<bool> done_ = false;
    std::thread thread_;  // after what it uses
};

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

void gpu_telemetry::measure_energy(const gpu_sensors& from, double run_s,
                                   const std::function<double(std::int64_t runs)>& run,
                                   double flop) {
    if (!from.energy_j || !from.energy_j() || run_s <= 0) return;
    const auto runs = static_cast<std::int64_t>(std::ceil(back_to_back_s / run_s));
    tick_watch counter(from);
    const double time_s = run(runs);
    const std::vector<tick> ticks = counter.seen();
    if (ticks.size() < 2) return;
    window_s_ = ticks.back().at_s - ticks.front().at_s;
    power_w_ = (ticks.back().energy_j - ticks.front().energy_j) / *window_s_;
    joules_per_gflop_ = *power_w_ * time_s / (static_cast<double>(runs) * flop * 1e-9);
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
