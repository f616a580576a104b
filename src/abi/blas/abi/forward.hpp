// The trampolines to the fallback.
#pragma once

namespace carat::blas {

// Looks up every routine again at its next call: what held in a parent may not hold in its forked
// child.
void forget_forwarded() noexcept;

}  // namespace carat::blas
