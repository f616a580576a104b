// The number of threads that a program set in OpenBLAS, for example by
// threadpool_limits(user_api='blas').
#pragma once

namespace carat::blas {

// Looks at a loaded OpenBLAS with its own threads (one with OpenMP keeps OpenMP's number): the
// number set by a call, if it is less than its default; else 0.
[[nodiscard]] int limit_set_in_openblas();

}  // namespace carat::blas
