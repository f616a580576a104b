// The element types that an implementation takes, and the precision in which it really computes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/problem.hpp"

namespace carat::core {

struct signature {
    dtype a;
    dtype b;
    dtype c;
    std::string_view computes_in;
};

// The one that fits the problem's element types, or null.
[[nodiscard]] const signature* find_signature(std::span<const signature> taken, const problem& p);

// Why none fits the problem; empty when one does.
[[nodiscard]] std::string reason_against_types(std::span<const signature> taken, const problem& p);

}  // namespace carat::core
