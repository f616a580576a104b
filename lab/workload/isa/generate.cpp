// Sixteen Philox blocks side by side, then 52 of every 64 bits as the mantissa of a double in
// [1, 2), less 1. Plain loops over lanes, which the compiler turns into this level's vectors.
#include "lab/workload/generate.hpp"

#include "lab/workload/philox.hpp"

namespace carat::workload::CARAT_ISA {

namespace {

struct blocks {
    std::uint32_t word[4][lanes];
};

void start(blocks& b, const row_source& from, std::int64_t group) {
    const auto row = static_cast<std::uint64_t>(from.row);
    const auto first = static_cast<std::uint64_t>(group) * lanes;
    const auto high =
        static_cast<std::uint32_t>((row >> 32 & 0xffff) | (first >> 32 & 0xffff) << 16);
    for (int lane = 0; lane < lanes; ++lane) {
        b.word[0][lane] = static_cast<std::uint32_t>(row);
        b.word[1][lane] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(lane);
        b.word[2][lane] = high;
        b.word[3][lane] = from.operand_and_stream;
    }
}

void scramble(blocks& b, std::uint64_t seed) {
    auto key_0 = static_cast<std::uint32_t>(seed);
    auto key_1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < philox_rounds; ++round) {
        // Unrolled first, the loop is no longer one the compiler vectorises: 3.5 times slower.
#pragma GCC unroll 1
        for (int lane = 0; lane < lanes; ++lane) {
            const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * b.word[0][lane];
            const std::uint64_t p1 = std::uint64_t{philox_multiplier_1} * b.word[2][lane];
            b.word[0][lane] = static_cast<std::uint32_t>(p1 >> 32) ^ b.word[1][lane] ^ key_0;
            b.word[1][lane] = static_cast<std::uint32_t>(p1);
            b.word[2][lane] = static_cast<std::uint32_t>(p0 >> 32) ^ b.word[3][lane] ^ key_1;
            b.word[3][lane] = static_cast<std::uint32_t>(p0);
        }
        key_0 += philox_key_step_0;
        key_1 += philox_key_step_1;
    }
}

void to_units(const std::uint32_t* low, const std::uint32_t* high, double* out) {
    for (int lane = 0; lane < lanes; ++lane) {
        const std::uint64_t word = std::uint64_t{high[lane]} << 32 | low[lane];
        const std::uint64_t one_to_two = word >> 12 | std::uint64_t{0x3ff} << 52;
        out[lane] = __builtin_bit_cast(double, one_to_two) - 1.0;
    }
}

}  // namespace

void unit_row(const row_source& from, std::int64_t first_group, std::int64_t groups, double* out) {
    blocks b;
    for (std::int64_t group = 0; group < groups; ++group, out += group_cols) {
        start(b, from, first_group + group);
        scramble(b, from.seed);
        to_units(b.word[0], b.word[1], out);
        to_units(b.word[2], b.word[3], out + lanes);
    }
}

void affine(double* units, std::int64_t count, double lo, double width, bool whole) {
    if (whole)
        for (std::int64_t i = 0; i < count; ++i) units[i] = lo + __builtin_floor(width * units[i]);
    else
        for (std::int64_t i = 0; i < count; ++i) units[i] = lo + width * units[i];
}

}  // namespace carat::workload::CARAT_ISA
