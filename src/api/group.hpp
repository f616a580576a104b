// Products of different sizes on the CPU.
#pragma once

#include <carat/batch.hpp>

namespace carat::api {

// C = E + epilogue(A B) for each product. `e` and `steps` may be null. Throws carat::error and
// std::bad_alloc before anything is written.
void multiply_group(const cpu& where, const detail::erased_batch& a, const detail::erased_batch& b,
                    const detail::erased_batch* e, const detail::erased_batch& c,
                    const detail::epilogue_steps* steps);

}  // namespace carat::api
