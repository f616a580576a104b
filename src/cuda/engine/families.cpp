#include "cuda/engine/families.hpp"

#include <cstdlib>
#include <string_view>

#include <carat/error.hpp>

namespace carat::gpu_engine {

namespace {

constexpr int least_of_fp8 = 89;

std::string dotted(int compute_capability) {
    return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

}  // namespace

bool forces_mma(const char* value) {
    if (value == nullptr || *value == '\0') return false;
    if (std::string_view(value) != "mma")
        throw error(error_code::invalid_argument,
                    "CARAT_FORCE_FAMILY=" + std::string(value) + ": unknown; use mma, or unset it");
    return true;
}

bool is_mma_forced() {
    static const bool forced = forces_mma(std::getenv("CARAT_FORCE_FAMILY"));
    return forced;
}

std::string reason_against_code(dtype element, int compiled_for) {
    if (!is_fp8(element) || compiled_for >= least_of_fp8) return {};
    return "fp8 needs code for compute capability " + dotted(least_of_fp8) +
           " or later, and this build holds code for " + dotted(compiled_for) +
           ": build with CARAT_GPUS=native, or convert A and B to f16 or bf16";
}

std::string reason_against_mma(dtype element, int compute_capability) {
    constexpr int least = 80;
    const std::string has = " and this GPU has " + dotted(compute_capability);
    if (compute_capability < least)
        return "its kernels begin at compute capability " + dotted(least) + has +
               ": take another implementation";
    if (is_fp8(element) && compute_capability < least_of_fp8)
        return "fp8 begins at compute capability " + dotted(least_of_fp8) + has +
               ": convert A and B to f16 or bf16";
    return {};
}

}  // namespace carat::gpu_engine
