// Elements of erased matrices.
#pragma once

#include <carat/erased.hpp>

namespace carat::api {

// Both must have one size and type and share no element.
void copy_elements(const detail::erased_matrix& from, const detail::erased_matrix& to);

}  // namespace carat::api
