// A case as a call of the public headers, for every supported combination of types.
#pragma once

#include <cstddef>
#include <functional>

#include <carat/error.hpp>
#include <carat/prepare.hpp>

#include "product_case.hpp"
#include "workbench.hpp"

namespace carat::fuzz {

// Packs the operand that the case prepares.
[[nodiscard]] prepared_matrix prepare_operand(const product_case& c, const workbench& on);

// Makes the call of the case, or a separate call for one product of its batch. `ready` may be null:
// then the matrix itself is multiplied. `at_call` is called just before. Both throw what the call
// throws.
void make_call(const product_case& c, const workbench& on, const prepared_matrix* ready,
               const std::function<void()>* at_call = nullptr);
void make_single_call(const product_case& c, const workbench& on, std::size_t product,
                      const prepared_matrix* ready);

}  // namespace carat::fuzz
