// The one table of micro-kernels. A new instruction set is a new level in core/isa.hpp, its
// registers under x86/, arm/ or its own folder, and one line in table_x86.cpp or table_arm.cpp.
#include <string>

#include <carat/error.hpp>

#include "core/threads.hpp"
#include "cpu/kernels/micro_kernel.hpp"

namespace carat::cpu_engine {

#if !defined(__x86_64__) && !defined(__aarch64__)

namespace baseline {
extern const kernel_set kernels;
}

std::span<const kernel_set* const> kernel_sets() {
    static constexpr const kernel_set* sets[] = {&baseline::kernels};
    return sets;
}

std::string why_no_f16_sums(core::isa) {
    return "this machine has no arithmetic of f16";
}

const kernel_set& kernels_with_f16_sums(core::isa level) {
    return kernels_for(level);
}

#endif

namespace {

[[maybe_unused]] const int finished = core::finish_before_forks([] {
    (void)kernel_sets();
    (void)kernels_with_f16_sums(core::isa::baseline);
});

}  // namespace

const kernel_set& kernels_for(core::isa level) {
    for (const kernel_set* set : kernel_sets())
        if (set->level == level) return *set;
    throw error(error_code::unsupported,
                "cpu engine: no kernels for " + std::string(core::name(level)) + " in this build");
}

}  // namespace carat::cpu_engine
