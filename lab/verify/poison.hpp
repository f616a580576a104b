// The pattern that poison() leaves in C.
#pragma once

#include <cstdint>

#include <carat/types.hpp>

namespace carat::verify {

[[nodiscard]] bool is_poison(dtype type, const void* c, std::int64_t index);

}  // namespace carat::verify
