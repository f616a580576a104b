// Unrolls loops over registers before the compiler allocates registers.
#pragma once

#if defined(__clang__)
#define CARAT_UNROLL _Pragma("unroll")
#define CARAT_UNROLL_DEPTHS _Pragma("unroll 4")
#else
#define CARAT_UNROLL_DEPTHS _Pragma("GCC unroll 4")
#define CARAT_UNROLL _Pragma("GCC unroll 16")
#endif
