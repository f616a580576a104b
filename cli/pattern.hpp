// PATTERN of carat list and --exclude: a family, a part of a name, or a name with * and ?.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/request/request.hpp"

namespace carat::cli {

using implementations = std::vector<const rows::implementation*>;

// "vendor.cublaslt_tf32" is of the family vendor.cublaslt, "cpu.engine.avx2" of cpu.engine.
[[nodiscard]] std::string_view family_of(std::string_view name);

// A family's name means its members; wildcards are matched against the whole name; any other text
// may lie anywhere in it.
[[nodiscard]] implementations matching(const std::string& pattern);

// Leaves out what one of `patterns`, separated by commas, names. Throws carat::error where one
// names none of `chosen`, or nothing is left.
void exclude(std::vector<request::selection>& chosen, const std::string& patterns);

}  // namespace carat::cli
