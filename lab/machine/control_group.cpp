// The limits of containers: processor time and memory of the control group, of which every ancestor
// may have a tighter one.
#include "core/control_group.hpp"

#include <algorithm>
#include <fstream>

#include "lab/machine/files.hpp"
#include "lab/machine/sources.hpp"

namespace carat::machine {

namespace fs = std::filesystem;

namespace {

void tighten(double& limit, double other) {
    if (other > 0 && (limit <= 0 || other < limit)) limit = other;
}

void tighten(std::int64_t& limit, std::int64_t other) {
    // Version 1 expresses "no limit" as the largest number of whole pages.
    constexpr std::int64_t endless = std::int64_t{1} << 60;
    if (other > 0 && other < endless && (limit <= 0 || other < limit)) limit = other;
}

// Pages of files that nobody has read lately are dropped before a process is killed for memory.
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
    tighten(limits.cpus, core::cpu_quota_of(group));
    read_memory(group, "memory.max", "memory.current", "inactive_file", limits);
    read_memory(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                limits);
}

}  // namespace

group_limits read_group_limits(const fs::path& root) {
    group_limits limits;
    core::for_each_control_group(root == "/" ? "" : root.string(),
                                 [&](const std::string& group) { read_group(group, limits); });
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
