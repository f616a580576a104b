// The BLAS that does what is not ours, opened at the first call that needs it.
#pragma once

namespace carat::blas {

// The function of that name in the fallback. When there is no fallback, or it lacks the function,
// the process ends with one line that says so and status 127, as the loader ends a process for a
// symbol it can't find. Safe from many threads.
[[nodiscard]] void* fallback_function(const char* name);

// Whether this code is the fallback's: it calls itself by names that lead back here.
[[nodiscard]] bool is_in_fallback(const void* code);

}  // namespace carat::blas
