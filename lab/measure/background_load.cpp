#include "lab/measure/background_load.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/vfs.h>
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

// "cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...": all but the two that idle. Later
// columns are included in USER and NICE.
std::optional<processor_use> use_in_line(const std::string& line) {
    std::istringstream fields(line);
    std::string name;
    std::array<double, 8> ticks{};
    fields >> name;
    for (double& t : ticks)
        if (!(fields >> t)) return std::nullopt;
    const auto& [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
    return processor_use{user + nice + system + irq + softirq + steal, steal};
}

// Another file system in its place (lxcfs) shows a container only its own processes.
bool is_of_the_kernel(const char* file) {
    constexpr long proc = 0x9fa0;
    struct statfs system {};
    return statfs(file, &system) != 0 || system.f_type == proc;
}

std::int64_t displaced_so_far() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return use.ru_nivcsw;
}

}  // namespace

std::optional<processor_use> busy_ticks(std::string_view stat, const std::vector<int>& cpus) {
    if (cpus.empty()) return std::nullopt;
    processor_use sum;
    std::size_t found = 0;
    std::istringstream lines{std::string(stat)};
    for (std::string line; std::getline(lines, line);) {
        const bool wanted = std::ranges::any_of(
            cpus, [&](int cpu) { return line.starts_with("cpu" + std::to_string(cpu) + " "); });
        if (!wanted) continue;
        const std::optional<processor_use> one = use_in_line(line);
        if (!one) return std::nullopt;
        sum.busy += one->busy;
        sum.stolen += one->stolen;
        ++found;
    }
    return found == cpus.size() ? std::optional(sum) : std::nullopt;
}

work_probe processor_time(std::vector<int> cpus) {
    static constexpr const char* stat_file = "/proc/stat";
    const idle_probe process = this_process();
    const int count = static_cast<int>(cpus.size());
    const auto per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
    return {process.now_s,
            process.cpu_s,
            [cpus = std::move(cpus), per_s]() -> std::optional<processor_use> {
                const auto ticks = busy_ticks(contents(stat_file), cpus);
                if (!ticks) return std::nullopt;
                return processor_use{ticks->busy / per_s, ticks->stolen / per_s};
            },
            displaced_so_far,
            count,
            is_of_the_kernel(stat_file)};
}

background_load::background_load(work_probe probe)
    : probe_(std::move(probe)),
      began_s_(probe_.now_s()),
      own_s_(probe_.own_s()),
      displaced_(probe_.displaced()),
      all_s_(probe_.all_s()) {}

conditions background_load::seen() const {
    constexpr double least_s = 0.5;
    conditions out;
    out.cpus = probe_.cpus;
    out.sees_all = probe_.sees_all;
    out.passed_s = probe_.now_s() - began_s_;
    const std::optional<processor_use> all_s = probe_.all_s();
    const double own_s = probe_.own_s() - own_s_;
    const auto displaced = static_cast<double>(probe_.displaced() - displaced_);
    if (own_s > 0) out.displaced_per_s = displaced / std::max(own_s, least_s);
    if (!all_s_ || !all_s || out.passed_s < least_s) return out;
    const double whole_s = out.passed_s * probe_.cpus;
    out.other_share = std::clamp((all_s->busy - all_s_->busy - own_s) / whole_s, 0.0, 1.0);
    out.stolen_share = std::clamp((all_s->stolen - all_s_->stolen) / whole_s, 0.0, 1.0);
    return out;
}

}  // namespace carat::measure
