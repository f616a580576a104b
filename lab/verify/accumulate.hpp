// The inner loops of the reference: one row of A times a packed block of B, added to one row of
// sums. A sum is twofold, high + low, as if computed in twice the precision of double and rounded
// once: Ogita, Rump and Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005),
// algorithm Dot2, with a bound on what is left of gamma_k^2 |a||b|. Beside it goes |a||b| itself.
#pragma once

#include <cstdint>

namespace carat::verify {

// B is packed in blocks of at most this depth (rows of B) and width; a block stays in L1 while the
// rows of A pass by. Depths are padded with zeros to multiples of 4, widths to multiples of 16.
inline constexpr std::int64_t block_depth = 32;
inline constexpr std::int64_t block_cols = 128;
inline constexpr std::int64_t depth_step = 4;
inline constexpr std::int64_t width_step = 16;

// One row of sums. `low` is null where plain doubles are precise enough.
struct sums {
    double* high;
    double* low;
    double* absolute;
};

// sums[j] += a[p] b[p x block_cols + j] for p < depth, j < width.
using accumulate_function = void(const double* a, const double* b, std::int64_t depth,
                                 std::int64_t width, const sums& to);

#define CARAT_DECLARE_ACCUMULATE(level) \
    namespace level {                   \
    accumulate_function twofold;        \
    accumulate_function plain;          \
    }
CARAT_DECLARE_ACCUMULATE(baseline)
CARAT_DECLARE_ACCUMULATE(avx2)
CARAT_DECLARE_ACCUMULATE(avx512)
#undef CARAT_DECLARE_ACCUMULATE

}  // namespace carat::verify
