// The integer of the BLAS interface. The same sources are compiled twice: libcarat_blas with 32
// bits and libcarat_blas64 with 64 under the same plain names, like Debian's libblas.so.3 and
// libblas64.so.3. A third time, with CARAT_BLAS_64_NAMES, only for libcarat_blas: 64 bits under
// names that end in 64_, so that one library serves NumPy's wheels and SciPy's.
#pragma once

#include <cstdint>

#if CARAT_BLAS_INTEGER_BITS == 64
#define CARAT_BLAS_WIDTH integers_of_64_bits
#else
#define CARAT_BLAS_WIDTH integers_of_32_bits
#endif

namespace carat::blas {
inline namespace CARAT_BLAS_WIDTH {

#if CARAT_BLAS_INTEGER_BITS == 64
using integer = std::int64_t;
#else
using integer = std::int32_t;
#endif

}  // namespace CARAT_BLAS_WIDTH
}  // namespace carat::blas

// The name under which a routine is compiled, and the same as a string.
#ifdef CARAT_BLAS_64_NAMES
#define CARAT_BLAS_NAME(symbol) symbol##64_
#define CARAT_BLAS_NAMED(text) text "64_"
#else
#define CARAT_BLAS_NAME(symbol) symbol
#define CARAT_BLAS_NAMED(text) text
#endif

// Marks the functions of abi/routines.def.
#define CARAT_BLAS_EXPORT extern "C" __attribute__((visibility("default")))
