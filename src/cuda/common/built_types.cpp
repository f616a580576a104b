#include "cuda/common/built_types.hpp"

#include <algorithm>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"

namespace carat::cuda {

namespace {

constexpr std::string_view built_types = CARAT_BUILT_GPU_TYPES;  // "f64, f32"

// CARAT_GPU_TYPES has this name for it.
std::string_view name_of(dtype a_type, core::gpu_arithmetic how) {
    using enum core::gpu_arithmetic;
    if (how == tf32 || how == three_tf32) return "tf32";
    return is_fp8(a_type) ? "fp8" : name(a_type);
}

bool is_built(std::string_view type) {
    for (std::size_t begin = 0; begin < built_types.size();) {
        const std::size_t end = std::min(built_types.find(", ", begin), built_types.size());
        if (built_types.substr(begin, end - begin) == type) return true;
        begin = end + 2;
    }
    return false;
}

std::string refusal(std::string_view type) {
    return "this build has GPU kernels for " + std::string(built_types) + " alone, and none for " +
           std::string(type) + ": ./dev build compiles all (CARAT_GPU_TYPES=all)";
}

}  // namespace

std::string why_not_built(dtype a_type, core::gpu_arithmetic how) {
    const std::string_view type = name_of(a_type, how);
    return is_built(type) ? std::string() : refusal(type);
}

void refuse_type(std::string_view type) {
    throw error(error_code::unsupported, "on a GPU: " + refusal(type));
}

}  // namespace carat::cuda
