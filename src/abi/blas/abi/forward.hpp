// The trampolines to the fallback.
#pragma once

namespace carat::blas {

// Every routine is looked up again at its next call: what held in the parent of a forked child may
// not hold in the child.
void forget_forwarded() noexcept;

}  // namespace carat::blas
