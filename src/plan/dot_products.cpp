// Where few columns are multiplied as dot products.
#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

// Operands are in L2: dot products, or a tile whose lines are packed or which columns fill in part.
// Fitted to both choices for 800 products of 2 to 24 by up to 200 lines and 8 to 400 depths on an
// Emerald Rapids: with AVX-512 and AVX2, f64 and f32, wrong choices cost 0.8 to 2.6 % in the mean.
// Columns that lie otherwise are copied first.
bool near_are_dot_products(std::int64_t lines, std::int64_t few, std::int64_t k, bool few_lie_alike,
                           int lanes) {
    if (!few_lie_alike) return few <= 4 && lines >= 12 && k >= 16 * few + 8;
    const std::int64_t most_columns = lanes > 4 && lines <= 200 ? 12 : 6;
    return few <= most_columns && k >= 12 * few;
}

// Both wait for memory beyond L2. There f64 is 1.03 to 1.05 times as fast with up to 5 columns that
// stay in L1, and 0.8 times with 5 of 2000 depths. With AVX-512 f32 is 1.9 to 2.1 times as fast
// with 7 and 8 columns (8 x 2000 x 1000 on one thread of a Zen 4, 7 x 1000 x 3000 on one of a
// Sapphire Rapids); with AVX2 it is slower.
bool few_are_dot_products(std::int64_t lines, std::int64_t few, std::int64_t k, bool few_lie_alike,
                          int element_bytes, int vector_bytes, const machine& on) {
    const std::int64_t most_bytes_of_columns = vector_bytes >= 64 ? 32 : 24;
    constexpr std::int64_t most_bytes_beyond_l2 = 40;
    constexpr std::int64_t least_bytes_of_depth = 512;
    if (few < 2) return false;
    if (lines * k * element_bytes <= on.l2_bytes)
        return near_are_dot_products(lines, few, k, few_lie_alike, vector_bytes / element_bytes);
    if (lines < 5 * few || k * element_bytes < least_bytes_of_depth) return false;
    if (element_bytes <= 4) return few * element_bytes <= most_bytes_of_columns;
    return few * element_bytes <= most_bytes_beyond_l2 &&
           few * k * element_bytes <= on.l1_bytes / 2;
}

// More columns, where a tile would leave an eighth of its vectors' lanes idle and A doesn't stay
// near. Only for AVX2: nothing was measured with other vectors. The least depth is an estimate:
// adding up the lanes of twelve sums takes as long as 100 multiply-adds, of which 2 KiB of depth
// have 768.
bool more_are_dot_products(std::int64_t lines, std::int64_t few, std::int64_t k, int element_bytes,
                           int vector_bytes, const machine& on) {
    constexpr int measured_vector_bytes = 32;
    constexpr std::int64_t least_bytes_of_depth = 2048;
    if (few <= most_skinny_columns || few > most_dot_columns) return false;
    if (vector_bytes != measured_vector_bytes || lines < 5 * few) return false;
    const int lanes = vector_bytes / element_bytes;
    const bool fills_vectors = ceil_div(few, lanes) * lanes * 7 < few * 8;
    return !fills_vectors && k * element_bytes >= least_bytes_of_depth &&
           lines * k * element_bytes > on.l2_bytes;
}

}  // namespace

bool takes_dot_products(std::int64_t lines, std::int64_t few, std::int64_t k, bool few_lie_alike,
                        int element_bytes, int vector_bytes, const machine& on) {
    return few_are_dot_products(lines, few, k, few_lie_alike, element_bytes, vector_bytes, on) ||
           more_are_dot_products(lines, few, k, element_bytes, vector_bytes, on);
}

}  // namespace carat::plan
