#include "ladder/cpu/anatomy/caches.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace carat::ladder::cpu {

namespace {

// Bytes of the data or unified cache at `level`, or 0. sysconf() is not used: it reports the L3 of
// the whole package even if a machine is given only a part of it.
std::int64_t cache_bytes(int level) {
    for (int index = 0; index < 8; ++index) {
        const std::string folder =
            "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        int found = 0;
        std::string type;
        std::int64_t kibibytes = 0;  // "48K": the number ends at the K, which Linux always writes
        std::ifstream(folder + "level") >> found;
        std::ifstream(folder + "type") >> type;
        std::ifstream(folder + "size") >> kibibytes;
        if (found == level && type != "Instruction" && kibibytes > 0) return kibibytes * 1024;
    }
    return 0;
}

}  // namespace

const cache_sizes& caches() {
    static const cache_sizes sizes = [] {
        const std::int64_t l1 = std::max<std::int64_t>(cache_bytes(1), 32 << 10);
        const std::int64_t l2 = std::max<std::int64_t>(cache_bytes(2), 256 << 10);
        return cache_sizes{l1, l2, std::max(cache_bytes(3), l2)};
    }();
    return sizes;
}

}  // namespace carat::ladder::cpu
