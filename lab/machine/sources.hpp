// The sources of a description. Each fills in what it knows; describe() asks them in order of trust
// and fills gaps. Internal to the module, and separate so that tests can give each of them another
// machine.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lab/machine/description.hpp"

namespace carat::machine {

using cpu_list = std::vector<int>;  // hardware threads by the system's numbers

// Sorts cores that are built or allowed to run faster to the front; otherwise keeps the order.
[[nodiscard]] cpu_list fastest_first(cpu_list cpus, const std::filesystem::path& root);

// Whether some are slower than others by more than a tenth: P and E cores, big and little ones.
[[nodiscard]] bool of_several_kinds(const cpu_list& cpus, const std::filesystem::path& root);

// hwloc's view of this machine, or of a synthetic one in hwloc's notation ("core:4 pu:2"). Here and
// below, caches are those of the first allowed hardware thread.
[[nodiscard]] description from_hwloc(const cpu_list& allowed, const std::string& synthetic = {});

// The files below `root` ("/"): proc/cpuinfo, proc/meminfo, etc/os-release, sys/devices/system.
[[nodiscard]] description from_files(const std::filesystem::path& root, const cpu_list& allowed);

// CPUID on x86; empty elsewhere.
[[nodiscard]] description from_cpuid();

// POSIX sysconf, uname.
[[nodiscard]] description from_posix();

// Takes from `more` what `known` lacks; caches field by field.
void fill_gaps(description& known, const description& more);

// Limits cores to the quota, with at least one, and memory to the group's.
struct group_limits {
    double cpus = 0;  // 0: no limit
    std::int64_t memory_bytes = 0;
    std::int64_t memory_left_bytes = 0;  // of it, counting what the system can take back; not 0
};
void apply(description& machine, const group_limits& limits);

// The tightest limits of the control group of this process and its ancestors, version 1 or 2.
[[nodiscard]] group_limits read_group_limits(const std::filesystem::path& root);

// One cache from the registers of CPUID leaf 4 (Intel) or 0x8000001D (AMD), which share a layout
// {eax, ebx, ecx, edx}; level 0 when there is none.
[[nodiscard]] cache decode_cache_leaf(const std::array<std::uint32_t, 4>& registers);

// The hypervisor behind a CPUID signature ("KVMKVMKVM"); the signature itself when unknown.
[[nodiscard]] std::string hypervisor_name(std::string_view signature);

// "0-3,8" as numbers, ascending; what can't be read is left out.
[[nodiscard]] cpu_list parse_cpu_list(std::string_view text);

}  // namespace carat::machine
