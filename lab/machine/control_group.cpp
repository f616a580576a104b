// Limits that containers set: processor time and memory of the control group, of which every
// ancestor may have a tighter one. Version 2 has one tree (cpu.max "200000 100000" or "max ..."),
// version 1 a tree for each controller, and inside a container the tree often begins at its mount.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "lab/machine/files.hpp"
#include "lab/machine/sources.hpp"

namespace carat::machine {

namespace fs = std::filesystem;

namespace {

void tighten(double& limit, double other) {
    if (other > 0 && (limit <= 0 || other < limit)) limit = other;
}

void tighten(std::int64_t& limit, std::int64_t other) {
    // Version 1 says "no limit" with the largest number of whole pages.
    constexpr std::int64_t endless = std::int64_t{1} << 60;
    if (other > 0 && other < endless && (limit <= 0 || other < limit)) limit = other;
}

double quotient(std::int64_t quota, std::int64_t period) {
    return period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
}

// Pages of files that nobody has read lately: given up before a process is ended for memory.
std::int64_t idle_file_bytes(const fs::path& group, std::string_view name) {
    std::ifstream statistics(group / "memory.stat");
    std::string key;
    std::int64_t bytes = 0;
    while (statistics >> key >> bytes)
        if (key == name) return bytes;
    return 0;
}

void read_memory(const fs::path& group, const char* limit, const char* usage,
                 std::string_view idle_files, group_limits& limits) {
    std::int64_t most = 0;
    tighten(most, parse_number(read_line(group / limit)));
    if (most == 0) return;
    tighten(limits.memory_bytes, most);
    const std::int64_t used =
        parse_number(read_line(group / usage)) - idle_file_bytes(group, idle_files);
    tighten(limits.memory_left_bytes, std::clamp<std::int64_t>(most - used, 1, most));
}

void read_group(const fs::path& group, group_limits& limits) {
    std::istringstream cpu_max(read_line(group / "cpu.max"));
    std::string quota, period;
    cpu_max >> quota >> period;
    tighten(limits.cpus, quotient(parse_number(quota), parse_number(period)));
    tighten(limits.cpus, quotient(parse_number(read_line(group / "cpu.cfs_quota_us")),
                                  parse_number(read_line(group / "cpu.cfs_period_us"))));
    read_memory(group, "memory.max", "memory.current", "inactive_file", limits);
    read_memory(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                limits);
}

// The group itself and everything above it, up to the mount.
void read_ancestry(const fs::path& mount, fs::path group, group_limits& limits) {
    for (; group.has_relative_path(); group = group.parent_path())
        read_group(mount / group.relative_path(), limits);
    read_group(mount, limits);
}

}  // namespace

group_limits read_group_limits(const fs::path& root) {
    group_limits limits;
    const fs::path mounts = root / "sys/fs/cgroup";
    std::ifstream groups(root / "proc/self/cgroup");
    // "hierarchy:controllers:path"
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const fs::path group = fs::path(line.substr(second + 1)).lexically_normal();
        if (controllers.empty()) {
            read_ancestry(mounts, group, limits);
            read_ancestry(mounts / "unified", group, limits);
            continue;
        }
        read_ancestry(mounts / controllers, group, limits);
        // Those mounted together have a link each: "cpuacct,cpu" may lie at "cpu,cpuacct".
        std::istringstream names(controllers);
        for (std::string name; std::getline(names, name, ',');)
            read_ancestry(mounts / name, group, limits);
    }
    return limits;
}

std::int64_t memory_left_by_group() {
    return read_group_limits("/").memory_left_bytes;
}

void apply(description& machine, const group_limits& limits) {
    tighten(machine.memory_bytes, limits.memory_bytes);
    if (limits.cpus <= 0) return;
    machine.cpu_quota = limits.cpus;
    machine.cores = std::clamp(static_cast<int>(limits.cpus), 1, std::max(1, machine.cores));
    if (machine.core_cpus.size() > static_cast<std::size_t>(machine.cores))
        machine.core_cpus.resize(static_cast<std::size_t>(machine.cores));
}

}  // namespace carat::machine
