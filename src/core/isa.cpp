#include "core/isa.hpp"

#include <cstdlib>
#include <exception>

#include <carat/error.hpp>

#include "core/threads.hpp"

namespace carat::core {

isa best_isa() {
    isa best = isa::baseline;
    for (const isa level : all_isas)
        if (has(level)) best = level;
    return best;
}

namespace {

#if defined(__aarch64__)
constexpr bool is_arm = true;
#else
constexpr bool is_arm = false;
#endif

isa parse_forced(std::string_view forced) {
    for (const isa level : all_isas) {
        if (forced != name(level)) continue;
        if (!has(level))
            throw error(error_code::unsupported,
                        "CARAT_FORCE_ISA=" + std::string(forced) + ": this machine has only " +
                            std::string(name(best_isa())) + "; use that or less, or unset it");
        return level;
    }
    throw error(error_code::invalid_argument,
                "CARAT_FORCE_ISA=" + std::string(forced) + ": unknown; use baseline, " +
                    (is_arm ? "dotprod, i8mm, sve256 or sve512" : "avx2, avx512 or amx"));
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
        // The first product reports a wrong CARAT_FORCE_ISA.
    }
});

}  // namespace

}  // namespace carat::core
