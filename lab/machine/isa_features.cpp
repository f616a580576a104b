#include "lab/machine/isa_features.hpp"

#include <array>
#include <fstream>
#include <sstream>

namespace carat::machine {

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

}  // namespace carat::machine
