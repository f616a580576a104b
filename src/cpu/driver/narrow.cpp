// C of f16 or bf16: a rectangle of C at a time is summed in f32 over all of k, then rounded once.
// The rectangle is small enough for L2 and L3 and large enough that packing its operands again for
// each of them costs next to nothing.
#include <algorithm>

#include "cpu/driver/loops.hpp"

namespace carat::cpu_engine {

namespace {

constexpr std::int64_t most_rows = 1024;
constexpr std::int64_t most_cols = 1024;

}  // namespace

std::int64_t narrow_elements(const plan::blocking& blocks, std::int64_t m, std::int64_t n) {
    return blocked_elements(blocks) + std::min(m, most_rows) * std::min(n, most_cols);
}

void multiply_narrow(const task<float>& t, const plan::blocking& blocks, const narrow_target& c,
                     float* workspace) {
    float* const sums = workspace + blocked_elements(blocks);
    for (std::int64_t j = 0; j < t.n; j += most_cols) {
        for (std::int64_t i = 0; i < t.m; i += most_rows) {
            task<float> part =
                rectangle(t, i, j, std::min(most_rows, t.m - i), std::min(most_cols, t.n - j));
            part.c = sums;
            part.c_row_stride = 1;
            part.c_col_stride = part.m;
            part.alpha = 1;
            part.beta = 0;
            multiply_blocked(part, blocks, workspace);
            for (std::int64_t q = 0; q < part.n; ++q)
                c.store(part.m, sums + q * part.m, t.alpha, t.beta, c.at(i, j + q), c.row_stride);
        }
    }
}

}  // namespace carat::cpu_engine
