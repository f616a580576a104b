#include "plan/machine.hpp"

#include <algorithm>
#include <fstream>
#include <new>
#include <sstream>
#include <thread>

#include "core/threads.hpp"

namespace carat::plan {

namespace {

std::string first_word(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

// "48K" or "32M" in bytes; 0 for anything else.
std::int64_t parse_size(const std::string& text) {
    std::istringstream stream(text);
    std::int64_t value = 0;
    char unit = ' ';
    if (!(stream >> value >> unit) || value <= 0) return 0;
    return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : 0;
}

// CPUs in a list such as "0-3,8": 5. At least 1.
std::int64_t count_cpus(const std::string& list) {
    std::istringstream stream(list);
    std::int64_t count = 0;
    for (std::string range; std::getline(stream, range, ',');) {
        std::istringstream ends(range);
        std::int64_t first = 0;
        std::int64_t last = 0;
        char dash = ' ';
        if (!(ends >> first)) continue;
        if (!(ends >> dash >> last)) last = first;
        count += last - first + 1;
    }
    return std::max<std::int64_t>(count, 1);
}

}  // namespace

machine read_machine(const std::string& folder) {
    machine found;
    for (int index = 0; index < 8; ++index) {
        const std::string cache = folder + "/cpu0/cache/index" + std::to_string(index) + "/";
        const std::string level = first_word(cache + "level");
        if (level.empty()) break;
        if (first_word(cache + "type") == "Instruction") continue;
        const std::int64_t size = parse_size(first_word(cache + "size"));
        const std::int64_t share = size / count_cpus(first_word(cache + "shared_cpu_list"));
        if (share == 0) continue;
        // Hyper-threads of one core share its L1, and only one of them should multiply.
        if (level == "1") found.l1_bytes = size;
        if (level == "2") found.l2_bytes = share;
        if (level == "3") found.l3_bytes = share;
    }
    found.l3_bytes = std::max(found.l3_bytes, found.l2_bytes);
    found.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return found;
}

const machine& this_machine() {
    static const machine known = read_machine("/sys/devices/system/cpu");
    return known;
}

namespace {

[[maybe_unused]] const int finished = core::finish_before_forks([] {
    try {
        (void)this_machine();
    } catch (const std::bad_alloc&) {
        // The first product tells.
    }
});

}  // namespace

}  // namespace carat::plan
