#include "lab/measure/other_work.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

#include "lab/measure/idle.hpp"

namespace carat::measure {

namespace {

std::string contents(const char* file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// "cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...": all but the two that idle. What comes
// behind is in USER and NICE already.
std::optional<double> busy_of_line(const std::string& line) {
    std::istringstream fields(line);
    std::string name;
    std::array<double, 8> ticks{};
    fields >> name;
    for (double& t : ticks)
        if (!(fields >> t)) return std::nullopt;
    const auto& [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
    return user + nice + system + irq + softirq + steal;
}

}  // namespace

std::optional<double> busy_ticks(std::string_view stat, const std::vector<int>& cpus) {
    if (cpus.empty()) return std::nullopt;
    double sum = 0;
    std::size_t found = 0;
    std::istringstream lines{std::string(stat)};
    for (std::string line; std::getline(lines, line);) {
        const bool wanted = std::ranges::any_of(
            cpus, [&](int cpu) { return line.starts_with("cpu" + std::to_string(cpu) + " "); });
        if (!wanted) continue;
        const std::optional<double> busy = busy_of_line(line);
        if (!busy) return std::nullopt;
        sum += *busy;
        ++found;
    }
    return found == cpus.size() ? std::optional(sum) : std::nullopt;
}

work_probe processor_time(std::vector<int> cpus) {
    const idle_probe process = this_process();
    const int count = static_cast<int>(cpus.size());
    const auto per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
    return {process.now_s, process.cpu_s,
            [cpus = std::move(cpus), per_s]() -> std::optional<double> {
                const std::optional<double> ticks = busy_ticks(contents("/proc/stat"), cpus);
                return ticks ? std::optional(*ticks / per_s) : std::nullopt;
            },
            count};
}

other_work::other_work(work_probe probe)
    : probe_(std::move(probe)),
      began_s_(probe_.now_s()),
      own_s_(probe_.own_s()),
      all_s_(probe_.all_s()) {}

std::optional<double> other_work::share() const {
    constexpr double least_s = 0.5;
    const double passed_s = probe_.now_s() - began_s_;
    const std::optional<double> all_s = probe_.all_s();
    if (!all_s_ || !all_s || passed_s < least_s) return std::nullopt;
    const double others_s = (*all_s - *all_s_) - (probe_.own_s() - own_s_);
    return std::clamp(others_s / (passed_s * probe_.cpus), 0.0, 1.0);
}

}  // namespace carat::measure
