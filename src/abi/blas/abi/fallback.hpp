// The BLAS that does what is not ours, opened at the first call that needs it.
#pragma once

namespace carat::blas {

// The function of that name, or of the alternative, in the fallback. When there is no fallback, or
// it lacks both, the process ends with one line that says so and status 127, as the loader ends a
// process for a symbol it can't find. Safe from many threads.
[[nodiscard]] void* fallback_function(const char* name, const char* alternative);

}  // namespace carat::blas
