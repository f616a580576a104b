// Elements of erased matrices.
#pragma once

#include <carat/erased.hpp>

namespace carat::api {

// Both of one size and type, sharing no element.
void copy_elements(const detail::erased_matrix& from, const detail::erased_matrix& to);

}  // namespace carat::api
