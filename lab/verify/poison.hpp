// The pattern that poison() leaves in C.
#pragma once

#include <cstddef>
#include <cstdint>

#include <carat/types.hpp>

#include "core/problem.hpp"
#include "lab/verify/verify.hpp"

namespace carat::verify {

// Signalling NaNs with a payload of our own; for integers an unlikely product.
struct element_pattern {
    std::uint64_t bits;
    std::size_t size;
};

[[nodiscard]] element_pattern poison_of(dtype type);
[[nodiscard]] bool is_poison(dtype type, const void* c, std::int64_t index);

// Elements between C's lines that belong to none: `size` after the first `length` of each `stride`,
// `gaps` times.
struct padding {
    std::int64_t gaps = 0, size = 0, length = 0, stride = 0;
};

[[nodiscard]] padding padding_of(const core::problem& p);

// The verdict on a product whose C is right but whose padding was overwritten.
[[nodiscard]] verdict overwritten_padding(std::int64_t gap, std::int64_t element);

// Checks padding in host memory that poison() wrote: passed, or what is overwritten.
[[nodiscard]] verdict check_padding(const core::problem& p, const void* c);

}  // namespace carat::verify
