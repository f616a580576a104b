// The pattern that poison() leaves in C.
#pragma once

#include <cstddef>
#include <cstdint>

#include <carat/types.hpp>

namespace carat::verify {

// Signalling NaNs with a payload of our own; for integers a number unlikely as a product.
struct element_pattern {
    std::uint64_t bits;
    std::size_t size;
};

[[nodiscard]] element_pattern poison_of(dtype type);
[[nodiscard]] bool is_poison(dtype type, const void* c, std::int64_t index);

}  // namespace carat::verify
