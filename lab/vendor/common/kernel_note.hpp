// Libraries choose their kernels by the model of the CPU more often than by its features. A virtual
// machine may report another model, and an old library doesn't know a new one; both end in slower
// code than the machine can run, which a ranking must not pass over in silence.
#pragma once

#include <string>
#include <string_view>

#include "core/isa.hpp"

namespace carat::vendor {

// What to say about a kernel of level `used`, where the user steers the choice with the environment
// variable `variable` and `suggestion` would fit `best`, the best level of this machine (empty:
// none does). Throws `rejected` where the user steered it to code that this machine can't run.
[[nodiscard]] std::string kernel_note(core::isa used, std::string_view variable,
                                      std::string_view suggestion,
                                      core::isa best = core::vectors_of(core::best_isa()));

}  // namespace carat::vendor
