// f32 in its own arithmetic, an FFMA a product. A warp's lanes are in 4 rows of 8. An operand is
// read by 16 bytes: of lines along K four k of one line, else one k of four lines, so that nothing
// is transposed on its way.
//
//     lines along K     lane row r has lines r, r + 4, ...          (r of 4, or of 8 for B)
//     lines across K    lane row r has lines 4 r to 4 r + 3, and those 16 (32 for B) further
#pragma once

#include "cuda/sm80/accumulators.cuh"
#include "cuda/sm80/config.hpp"

namespace carat::cuda::sm80 {

// Of `Lanes` rows (or columns) of lanes one, with `Count` lines of an operand's tile.
template <class Tile, int Count, int Lanes>
class lines_of_lane {
    static constexpr bool along_k = Tile::k == 1;
    static constexpr int size = sizeof(float);

  public:
    static constexpr int deep = along_k ? 4 : 1;  // k that are read at once
    struct numbers {
        float at[Count][deep];
    };

    __device__ __forceinline__ lines_of_lane(int first, int lane)
        : first_(size * (first + line(0, lane)) * Tile::line) {}

    // The lane's i-th line.
    static constexpr __device__ __forceinline__ int line(int i, int lane) {
        return along_k ? lane + i * Lanes : lane * 4 + i / 4 * 4 * Lanes + i % 4;
    }

    // What is multiplied from k on, where that is not read yet.
    __device__ __forceinline__ void read(numbers& to, std::uint32_t stage, int k) const {
        if (k % deep != 0) return;
        const std::uint32_t from = stage + static_cast<std::uint32_t>(first_) + size * k * Tile::k;
#pragma unroll
        for (int i = 0; i < Count; i += along_k ? 1 : 4) {
            float* const x = to.at[i];  // and the next lines'
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                         : "r"(from + size * (line(i, 0) * Tile::line)));
        }
    }

  private:
    int first_;  // bytes
};

// A warp's part of a tile, whose first sum is at (row, col).
template <class C>
class ffma_part {
    static constexpr int rows = C::warp_m / 4;
    static constexpr int cols = C::warp_n / 8;
    using lines_of_a = lines_of_lane<typename C::tile_of_a, rows, 4>;
    using lines_of_b = lines_of_lane<typename C::tile_of_b, cols, 8>;

  public:
    __device__ __forceinline__ ffma_part(const operand_view&, const operand_view&, int row, int col,
                                         int lane)
        : a_(row, lane / 8), b_(col, lane % 8) {}

    // A stage, whose tiles begin at these addresses.
    __device__ __forceinline__ void multiply(std::uint32_t a, std::uint32_t b) {
        typename lines_of_a::numbers own_a;
        typename lines_of_b::numbers own_b;
#pragma unroll
        for (int k = 0; k < C::block_k; ++k) {
            a_.read(own_a, a, k);
            b_.read(own_b, b, k);
#pragma unroll
            for (int c = 0; c < cols; ++c)
#pragma unroll
                for (int i = 0; i < rows; ++i) {
                    const int r = c % 2 == 0 ? i : rows - 1 - i;
                    at_[r][c] = fmaf(own_a.at[r][k % lines_of_a::deep],
                                     own_b.at[c][k % lines_of_b::deep], at_[r][c]);
                }
        }
    }

    [[nodiscard]] __device__ __forceinline__ const ffma_part& sums() const { return *this; }
    __device__ __forceinline__ void stage(float* sums, float alpha, int row, int col,
                                          int lane) const {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            float* const to = sums + (row + lines_of_a::line(r, lane / 8)) * C::sums_stride + col;
#pragma unroll
            for (int c = 0; c < cols; ++c)
                to[lines_of_b::line(c, lane % 8)] = scaled(alpha, at_[r][c]);
        }
    }

  private:
    lines_of_a a_;
    lines_of_b b_;
    float at_[rows][cols] = {};
};

template <lies A, lies B>
struct f32_math {
    using element = float;
    using sum = float;
    template <class C>
    using part = ffma_part<C>;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 16;
    // Eight runs that are read together lie in different banks.
    static constexpr int padding_along = 4;
    static constexpr int padding_across = 4;
};

}  // namespace carat::cuda::sm80
