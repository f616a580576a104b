// Identifies this library, for people and for the fallback, which must not be carat itself.
#include "abi/blas/abi/integer.hpp"

#define CARAT_TEXT_OF(value) #value
#define CARAT_TEXT(value) CARAT_TEXT_OF(value)

// "carat 0.1.0, 32-bit integers"; never freed.
CARAT_BLAS_EXPORT const char* carat_blas_config() {
    return "carat " CARAT_VERSION ", " CARAT_TEXT(CARAT_BLAS_INTEGER_BITS) "-bit integers";
}
