#include "core/isa.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <carat/error.hpp>

namespace carat::core {

isa best_isa() {
#if defined(__x86_64__)
    // These built-ins also ask the operating system whether it saves the wide registers.
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx2 && avx512) return isa::avx512;
    if (avx2) return isa::avx2;
#endif
    return isa::baseline;
}

namespace {

isa parse_forced(std::string_view forced) {
    for (const isa level : all_isas) {
        if (forced != name(level)) continue;
        if (level > best_isa())
            throw error(error_code::unsupported, "CARAT_FORCE_ISA=" + std::string(forced) +
                                                     ": this machine has only " +
                                                     std::string(name(best_isa())));
        return level;
    }
    throw error(error_code::invalid_argument, "CARAT_FORCE_ISA=" + std::string(forced) +
                                                  ": unknown; use baseline, avx2 or avx512");
}

}  // namespace

isa isa_in_use() {
    static const isa level = [] {
        const char* forced = std::getenv("CARAT_FORCE_ISA");
        return forced == nullptr || *forced == '\0' ? best_isa() : parse_forced(forced);
    }();
    return level;
}

std::vector<std::string> isa_features() {
    static constexpr std::array interesting = {
        "sse4_2",      "avx",      "avx2",     "fma",      "f16c",        "avx_vnni",
        "avx512f",     "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16",
        "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8", "amx_fp16",    "asimd",
        "asimddp",     "sve",      "sve2",     "bf16",     "i8mm"};
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::vector<std::string> found;
    for (std::string line; std::getline(cpuinfo, line);) {
        if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
        std::istringstream words(line.substr(line.find(':') + 1));
        for (std::string word; words >> word;)
            for (const char* feature : interesting)
                if (word == feature) found.push_back(word);
        break;
    }
    return found;
}

}  // namespace carat::core
