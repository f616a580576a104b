// The number of threads that a program set in OpenBLAS, as threadpool_limits(user_api='blas') does.
#pragma once

namespace carat::blas {

// Of an OpenBLAS with threads of its own that is loaded here (one with OpenMP keeps OpenMP's
// number): what it was set to by a call, if that is less than it would use by itself; else 0.
[[nodiscard]] int limit_set_in_openblas();

}  // namespace carat::blas
