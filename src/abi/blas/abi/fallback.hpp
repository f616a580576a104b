// The BLAS for routines that carat lacks, opened by the first call that needs it.
#pragma once

namespace carat::blas {

// The function of that name in the fallback. If there is no fallback, or it lacks the function, the
// process ends with a one-line message and status 127, as if the loader had not found a symbol.
// Thread-safe.
[[nodiscard]] void* fallback_function(const char* name);

// Whether this code is its own fallback: its calls would lead back here.
[[nodiscard]] bool is_in_fallback(const void* code);

}  // namespace carat::blas
