// The bytes between, before and after matrices, in host and GPU memory.
#pragma once

#include <cstdint>

#include "lab/verify/exact_rules.hpp"

namespace carat::judge {

// A NaN in every floating type, whose other bits are random: a product that reads it shows it.
CARAT_HOST_DEVICE inline std::uint64_t guard_word(std::uint64_t seed, std::int64_t index) {
    return verify::mixed(seed ^ static_cast<std::uint64_t>(index)) | 0x7ff07ff07ff07ff0u;
}

}  // namespace carat::judge
