#include "cpu/machine.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <unistd.h>

#include "core/text.hpp"
#include "core/threads.hpp"

namespace carat::cpu_engine {

namespace {

using core::first_word;

// Removes the number at the beginning of the text and returns it, or -1.
std::int64_t leading_number(std::string_view& text) {
    std::int64_t value = -1;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// "48K" or "32M" in bytes; 0 for anything else.
std::int64_t parse_size(std::string_view text) {
    const std::int64_t value = leading_number(text);
    if (value <= 0) return 0;
    return text.starts_with('K') ? value << 10 : text.starts_with('M') ? value << 20 : 0;
}

// CPUs in a list such as "0-3,8": 5. At least 1.
std::int64_t count_cpus(std::string_view list) {
    std::int64_t count = 0;
    while (!list.empty()) {
        const std::int64_t first = leading_number(list);
        std::int64_t last = first;
        if (list.starts_with('-')) {
            list.remove_prefix(1);
            last = leading_number(list);
        }
        if (first >= 0 && last >= first) count += last - first + 1;
        list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1);
    }
    return std::max<std::int64_t>(count, 1);
}

// One core's share of a cache; it replaces the previous value if the kernel reports one.
void share_of(int caches, const std::string& cache, std::int64_t& bytes) {
    const std::int64_t size = parse_size(first_word(caches, cache + "size"));
    if (size == 0) return;
    const std::int64_t cpus = count_cpus(first_word(caches, cache + "shared_cpu_list"));
    if (size >= cpus) bytes = size / cpus;
}

// Finds the caches wherever they are listed.
void search(int caches, plan::machine& found) {
    for (int index = 0; index < 8; ++index) {
        const std::string cache = "index" + std::to_string(index) + "/";
        const std::string level = first_word(caches, cache + "level");
        if (level.empty()) break;
        if (level == "2") share_of(caches, cache, found.l2_bytes);
        if (level == "3") share_of(caches, cache, found.l3_bytes);
        if (level != "1" || first_word(caches, cache + "type") == "Instruction") continue;
        const std::int64_t size = parse_size(first_word(caches, cache + "size"));
        if (size > 0) found.l1_bytes = size;
    }
}

}  // namespace

// Hyper-threads of one core share its L1, and only one of them should multiply. Reading a file
// costs 6 us of a program's first product, so the usual order (L1 data, L1 instructions, L2, L3) is
// assumed if the third is an L2.
plan::machine read_machine(const std::string& folder) {
    plan::machine found;
    const int caches = open((folder + "/cpu0/cache").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (first_word(caches, "index2/level") == "2") {
        const std::int64_t size = parse_size(first_word(caches, "index0/size"));
        if (size > 0) found.l1_bytes = size;
        share_of(caches, "index2/", found.l2_bytes);
        share_of(caches, "index3/", found.l3_bytes);
    } else {
        search(caches, found);
    }
    if (caches >= 0) close(caches);
    found.l3_bytes = std::max(found.l3_bytes, found.l2_bytes);
    return found;
}

const plan::machine& this_machine() {
    static const plan::machine known = read_machine("/sys/devices/system/cpu");
    return known;
}

namespace {

[[maybe_unused]] const int finished = core::finish_before_forks([] {
    try {
        (void)this_machine();
    } catch (const std::bad_alloc&) {
        // Read by the first product.
    }
});

}  // namespace

}  // namespace carat::cpu_engine
