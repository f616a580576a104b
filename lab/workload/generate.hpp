// Random rows, in the width of the machine's vectors. Columns come in groups of 32: one Philox
// block yields 64 bits for column c and 64 for column c + 16 of its group, so that 16 blocks side
// by side fill a group without a shuffle. Counter of a block: low 32 bits of the row, of the block,
// their high 16 bits each, then operand and stream; key: the seed. No two elements share one.
#pragma once

#include <cstdint>

namespace carat::workload {

inline constexpr int lanes = 16;
inline constexpr int group_cols = 2 * lanes;

struct row_source {
    std::uint64_t seed;
    std::uint32_t operand_and_stream;
    std::int64_t row;
};

// Writes `groups` x 32 uniforms in [0, 1), multiples of 2^-52, of the row's columns from
// 32 x first_group on.
using unit_row_function = void(const row_source& from, std::int64_t first_group,
                               std::int64_t groups, double* out);

// lo + width x unit, in place; rounded down to whole numbers when asked.
using affine_function = void(double* units, std::int64_t count, double lo, double width,
                             bool whole);

#define CARAT_DECLARE_GENERATE(level) \
    namespace level {                 \
    unit_row_function unit_row;       \
    affine_function affine;           \
    }
CARAT_DECLARE_GENERATE(baseline)
CARAT_DECLARE_GENERATE(avx2)
CARAT_DECLARE_GENERATE(avx512)
#undef CARAT_DECLARE_GENERATE

}  // namespace carat::workload
