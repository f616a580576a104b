// The files in which Linux describes the machine. All paths are below a root, so that tests can
// provide another machine; any file may be missing, as in containers.
#include "lab/machine/files.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "lab/machine/sources.hpp"

namespace carat::machine {

namespace fs = std::filesystem;

std::string read_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::int64_t parse_number(std::string_view text) {
    std::int64_t value = 0;
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return 0;
    const char* last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(text.data() + begin, last, value);
    if (failure != std::errc{} || value < 0) return 0;
    if (end == last) return value;
    switch (*end) {
        case 'K':
            return value << 10;
        case 'M':
            return value << 20;
        case 'G':
            return value << 30;
        default:
            return value;
    }
}

cpu_list parse_cpu_list(std::string_view text) {
    std::set<int> cpus;
    std::istringstream ranges{std::string(text)};
    for (std::string range; std::getline(ranges, range, ',');) {
        const auto dash = range.find('-');
        if (range.find_first_of("0123456789") == std::string::npos) continue;
        const std::int64_t first = parse_number(range.substr(0, dash));
        const std::int64_t last =
            dash == std::string::npos ? first : parse_number(range.substr(dash + 1));
        constexpr std::int64_t most = 1 << 20;  // a damaged list must not fill the memory
        for (std::int64_t cpu = first; cpu <= std::min(last, most); ++cpu)
            cpus.insert(static_cast<int>(cpu));
    }
    return {cpus.begin(), cpus.end()};
}

namespace {

// The value of the first line "key : value" or "key=value", without quotes.
std::string field(const fs::path& file, std::string_view key, char separator) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto at = line.find(separator);
        if (at == std::string::npos || !line.starts_with(key)) continue;
        if (line.find_first_not_of(" \t", key.size()) != at) continue;
        const auto begin = line.find_first_not_of(" \t\"", at + 1);
        const auto end = line.find_last_not_of(" \t\"");
        return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
    }
    return "";
}

double megahertz(const fs::path& frequency_file) {
    return static_cast<double>(parse_number(read_line(frequency_file))) / 1000;
}

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::vector<cache> caches_of(const fs::path& cpu) {
    std::vector<cache> caches;
    for (int i = 0; fs::exists(cpu / "cache" / ("index" + std::to_string(i))); ++i) {
        const fs::path at = cpu / "cache" / ("index" + std::to_string(i));
        const auto number = [&](const char* name) { return parse_number(read_line(at / name)); };
        caches.push_back(
            {static_cast<int>(number("level")), lower(read_line(at / "type")), number("size"),
             static_cast<int>(number("coherency_line_size")),
             static_cast<int>(number("ways_of_associativity")),
             static_cast<int>(parse_cpu_list(read_line(at / "shared_cpu_list")).size())});
    }
    return caches;
}

cpu_list siblings(const fs::path& cpu, int self) {
    for (const char* name : {"core_cpus_list", "thread_siblings_list"})
        if (cpu_list list = parse_cpu_list(read_line(cpu / "topology" / name)); !list.empty())
            return list;
    return {self};
}

// A core's capacity at its highest clock, if cores of several kinds tell it, and that clock.
struct speed {
    std::int64_t capacity = 0;
    std::int64_t most_khz = 0;

    auto operator<=>(const speed&) const = default;
};

speed speed_of(int cpu, const fs::path& root) {
    const fs::path at = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
    return {parse_number(read_line(at / "cpu_capacity")),
            parse_number(read_line(at / "cpufreq/cpuinfo_max_freq"))};
}

void add_cores(description& found, const fs::path& cpus, const cpu_list& allowed) {
    std::set<cpu_list> seen;
    for (const int cpu : allowed) {
        const cpu_list core = siblings(cpus / ("cpu" + std::to_string(cpu)), cpu);
        found.threads_per_core = std::max(found.threads_per_core, static_cast<int>(core.size()));
        if (seen.insert(core).second) found.core_cpus.push_back(cpu);
    }
    found.cores = static_cast<int>(found.core_cpus.size());
    found.hardware_threads = static_cast<int>(allowed.size());
}

}  // namespace

cpu_list fastest_first(cpu_list cpus, const fs::path& root) {
    std::multimap<speed, int, std::greater<speed>> by_speed;  // equal ones in the order given
    for (const int cpu : cpus) by_speed.emplace(speed_of(cpu, root), cpu);
    std::ranges::transform(by_speed, cpus.begin(), [](const auto& one) { return one.second; });
    return cpus;
}

bool of_several_kinds(const cpu_list& cpus, const fs::path& root) {
    speed least = {INT64_MAX, INT64_MAX};
    speed most;
    for (const int cpu : cpus) {
        const auto [capacity, most_khz] = speed_of(cpu, root);
        least = {std::min(least.capacity, capacity), std::min(least.most_khz, most_khz)};
        most = {std::max(most.capacity, capacity), std::max(most.most_khz, most_khz)};
    }
    const auto apart = [](std::int64_t low, std::int64_t high) { return low < high - high / 10; };
    return apart(least.capacity, most.capacity) || apart(least.most_khz, most.most_khz);
}

description from_files(const fs::path& root, const cpu_list& allowed) {
    description found;
    const fs::path cpuinfo = root / "proc/cpuinfo";
    found.cpu_model = field(cpuinfo, "model name", ':');
    found.vendor = field(cpuinfo, "vendor_id", ':');
    found.os = field(root / "etc/os-release", "PRETTY_NAME", '=');
    found.memory_bytes = parse_number(field(root / "proc/meminfo", "MemTotal", ':')) * 1024;

    const fs::path system = root / "sys/devices/system";
    found.numa_nodes = static_cast<int>(parse_cpu_list(read_line(system / "node/online")).size());
    add_cores(found, system / "cpu", allowed);

    const fs::path first =
        system / "cpu" / ("cpu" + std::to_string(allowed.empty() ? 0 : allowed[0]));
    found.caches = caches_of(first);
    found.frequency_max_mhz = megahertz(first / "cpufreq/cpuinfo_max_freq");
    found.frequency_current_mhz = megahertz(first / "cpufreq/scaling_cur_freq");
    if (found.frequency_current_mhz <= 0) {
        std::istringstream mhz(field(cpuinfo, "cpu MHz", ':'));
        mhz >> found.frequency_current_mhz;
    }
    return found;
}

}  // namespace carat::machine
