#include "lab/machine/isa_features.hpp"

#if defined(__aarch64__)

#include <sys/auxv.h>
#include <utility>

namespace carat::machine {

// /proc/cpuinfo says the same, except under an emulator, where it is that of another processor.
std::vector<std::string> isa_features() {
    static constexpr std::pair<const char*, unsigned long> first[] = {{"asimd", HWCAP_ASIMD},
                                                                      {"asimdhp", HWCAP_ASIMDHP},
                                                                      {"asimddp", HWCAP_ASIMDDP},
                                                                      {"sve", HWCAP_SVE}};
    static constexpr std::pair<const char*, unsigned long> second[] = {
        {"sve2", HWCAP2_SVE2}, {"bf16", HWCAP2_BF16}, {"i8mm", HWCAP2_I8MM}};
    std::vector<std::string> found;
    for (const auto& [name, bit] : first)
        if ((getauxval(AT_HWCAP) & bit) != 0) found.emplace_back(name);
    for (const auto& [name, bit] : second)
        if ((getauxval(AT_HWCAP2) & bit) != 0) found.emplace_back(name);
    return found;
}

}  // namespace carat::machine

#else

#include <array>
#include <fstream>
#include <sstream>

namespace carat::machine {

std::vector<std::string> isa_features() {
    static constexpr std::array interesting = {
        "sse4_2",      "avx",      "avx2",     "fma",      "f16c",        "avx_vnni",
        "avx512f",     "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16",
        "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8", "amx_fp16"};
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::vector<std::string> found;
    for (std::string line; std::getline(cpuinfo, line);) {
        if (!line.starts_with("flags")) continue;
        std::istringstream words(line.substr(line.find(':') + 1));
        for (std::string word; words >> word;)
            for (const char* feature : interesting)
                if (word == feature) found.push_back(word);
        break;
    }
    return found;
}

}  // namespace carat::machine

#endif
