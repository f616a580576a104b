#include "core/isa.hpp"

#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>

#include <carat/error.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/threads.hpp"

namespace carat::core {

#if defined(__x86_64__)

// Of the processor, and of the registers that the system saves (XCR0).
bool has_tiles() {
    constexpr unsigned osxsave = 1u << 27;
    constexpr unsigned vbmi = 1u << 1;
    constexpr unsigned bf16_tile_int8 = 1u << 22 | 1u << 24 | 1u << 25;
    constexpr unsigned tile_state = 1u << 17 | 1u << 18;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave) == 0) return false;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    if ((c & vbmi) == 0 || (d & bf16_tile_int8) != bf16_tile_int8) return false;
    unsigned low = 0;
    unsigned high = 0;
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & tile_state) == tile_state;
}

bool has_byte_dot_products() {
    return __builtin_cpu_supports("avx512vnni");
}
bool has_bf16_dot_products() {
    return __builtin_cpu_supports("avx512bf16");
}

// Of leaf 7, 1, which not all compilers know by name. The system saves its registers with AVX2's.
bool has_short_byte_dot_products() {
    constexpr unsigned avx_vnni = 1u << 4;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (!__builtin_cpu_supports("avx2") || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0)
        return false;
    const unsigned leaves = a;
    return leaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & avx_vnni) != 0;
}

// The system saves its registers with those of AVX-512.
bool has_f16_arithmetic() {
    constexpr unsigned avx512_fp16 = 1u << 23;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __builtin_cpu_supports("avx512bw") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (d & avx512_fp16) != 0;
}

namespace {

// Linux hands out tile state only to processes that ask: arch_prctl with ARCH_REQ_XCOMP_PERM for
// XFEATURE_XTILEDATA. All threads have it then. It is refused where a seccomp filter does not know
// it and where a signal stack is too small for the larger frame.
bool ask_for_tiles() {
    constexpr long request_permission = 0x1023;
    constexpr long tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

#else

bool has_tiles() {
    return false;
}
bool has_byte_dot_products() {
    return false;
}
bool has_bf16_dot_products() {
    return false;
}
bool has_short_byte_dot_products() {
    return false;
}
bool has_f16_arithmetic() {
    return false;
}

namespace {

bool ask_for_tiles() {
    return false;
}

}  // namespace

#endif

bool tiles_permitted() {
    static const bool permitted = has_tiles() && ask_for_tiles();
    return permitted;
}

isa best_isa() {
#if defined(__x86_64__)
    // These built-ins also ask the operating system whether it saves the wide registers.
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx2 && avx512) return tiles_permitted() ? isa::amx : isa::avx512;
    if (avx2) return isa::avx2;
#endif
    return isa::baseline;
}

namespace {

isa parse_forced(std::string_view forced) {
    for (const isa level : all_isas) {
        if (forced != name(level)) continue;
        if (level > best_isa())
            throw error(error_code::unsupported,
                        "CARAT_FORCE_ISA=" + std::string(forced) + ": this machine has only " +
                            std::string(name(best_isa())) + "; use that or less, or unset it");
        return level;
    }
    throw error(error_code::invalid_argument, "CARAT_FORCE_ISA=" + std::string(forced) +
                                                  ": unknown; use baseline, avx2, avx512 or amx");
}

}  // namespace

isa isa_in_use() {
    static const isa level = [] {
        const char* forced = std::getenv("CARAT_FORCE_ISA");
        return forced == nullptr || *forced == '\0' ? best_isa() : parse_forced(forced);
    }();
    return level;
}

namespace {

[[maybe_unused]] const int finished = finish_before_forks([] {
    try {
        (void)isa_in_use();
    } catch (const std::exception&) {
        // A wrong CARAT_FORCE_ISA is told by the first product.
    }
});

}  // namespace

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
