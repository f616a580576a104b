#pragma once

#include "fuzz/calls.hpp"

namespace carat::fuzz {

// Calls whose matrices are in a GPU's memory; they are started on the case's stream.
void start_call(const product_case& c, const workbench& on);
void start_single_call(const product_case& c, const workbench& on, std::size_t product);

}  // namespace carat::fuzz
