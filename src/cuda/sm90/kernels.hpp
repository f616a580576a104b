// The kernels there are: by the type of the elements, the tile of C (64 rows by 16, 32 or 64
// columns, 128 by 16, 32, 64, 128, 192 or 256; of 16-bit elements also 64 by 128 or 160 and 128 by
// 160 or 224, of promoted bytes 192 by 128) and the contiguous dimensions of A and B; B along K
// where the tile is narrower than 64.
#pragma once

#include <carat/types.hpp>

#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/config.hpp"

namespace carat::cuda::sm90 {

[[nodiscard]] const kernel<float>& f16_kernel(int block_m, int block_n, operand_major a,
                                              operand_major b);
[[nodiscard]] const kernel<float>& bf16_kernel(int block_m, int block_n, operand_major a,
                                               operand_major b);
// B contiguous along K.
[[nodiscard]] const kernel<float>& tf32_kernel(int block_m, int block_n, operand_major a);
// Both operands.
[[nodiscard]] const kernel<float>& halves_kernel(int block_m, int block_n);
[[nodiscard]] const kernel<float>& fp8_kernel(int block_m, int block_n, dtype a, dtype b,
                                              accumulation sums);
// e4m3 by e4m3 in blocks.
[[nodiscard]] const kernel<float>& fp8_blocks_kernel(int block_m, int block_n);
[[nodiscard]] const kernel<std::uint32_t>& i8_kernel(int block_m, int block_n);

// Each warpgroup has a tile of 128 x 128 to itself, or they are shared out evenly. Straight sums;
// of 8 bits operands along K.
[[nodiscard]] const kernel<float>& f16_apart_kernel(operand_major a, operand_major b, bool even);
[[nodiscard]] const kernel<float>& bf16_apart_kernel(operand_major a, operand_major b, bool even);
[[nodiscard]] const kernel<float>& fp8_apart_kernel(dtype a, dtype b, bool even);
[[nodiscard]] const kernel<std::uint32_t>& i8_apart_kernel(bool even);

// Tiles of 128 x 256 that are shared out evenly, of what can't be apart: sums of fp8 are promoted.
[[nodiscard]] const kernel<float>& tf32_even_kernel(operand_major a);
[[nodiscard]] const kernel<float>& halves_even_kernel();
[[nodiscard]] const kernel<float>& fp8_even_kernel(dtype a, dtype b);
[[nodiscard]] const kernel<float>& fp8_blocks_even_kernel();

}  // namespace carat::cuda::sm90
