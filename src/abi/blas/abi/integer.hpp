// The integer of the BLAS interface. The same sources are compiled twice: libcarat_blas with 32
// bits and libcarat_blas64 with 64 under the same plain names, as Debian's libblas.so.3 and
// libblas64.so.3.
#pragma once

#include <cstdint>

namespace carat::blas {

#if CARAT_BLAS_INTEGER_BITS == 64
using integer = std::int64_t;
#else
using integer = std::int32_t;
#endif

}  // namespace carat::blas

// On the functions of abi/routines.def.
#define CARAT_BLAS_EXPORT extern "C" __attribute__((visibility("default")))
