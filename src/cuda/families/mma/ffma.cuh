// f32 in its own arithmetic, an FFMA a product. A warp's lanes are in 4 rows of 8, or 8 of 4, each
// with up to 8 x 8 sums: what limits it are the 32 numbers a clock that come from shared memory. An
// operand is read by 16 bytes: of lines along K four k of one line, else one k of four lines, so
// that nothing is transposed on its way.
//
//     lines along K     of R rows of lanes row r has lines r, r + R, ...
//     lines across K    row r has lines 4 r to 4 r + 3, and those 4 R further
//
// Where runs begin between 16 bytes (phase.cuh), by single numbers: as many a clock.
#pragma once

#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/families/mma/phase.cuh"

namespace carat::cuda::mma {

// The `Count` lines of an operand's tile that one of `Lanes` rows (or columns) of lanes reads.
template <class Tile, int Count, int Lanes>
class lines_of_lane {
    static constexpr bool along_k = Tile::k == 1;
    static constexpr int size = sizeof(float);

  public:
    static constexpr int deep = along_k ? 4 : 1;  // k that are read at once
    struct numbers {
        float at[Count][deep];
    };

    __device__ __forceinline__ lines_of_lane(const phases<float>& phase, int first, int lane,
                                             int first_k)
        : places_(0) {
        static_assert(Lanes % 4 == 0);
#pragma unroll
        for (int run = 0; run < 4; ++run)
            places_ |= static_cast<std::uint32_t>(size * phase.of_run(run)) << 8 * run;
        const int own = first + line(0, lane);
        first_ = size * (own * Tile::line + first_k * Tile::k + (along_k ? phase.of_run(own) : 0));
    }
    [[nodiscard]] __device__ __forceinline__ bool is_aligned() const {
        return places_ == 0;
    }

    // The lane's i-th line.
    static constexpr __device__ __forceinline__ int line(int i, int lane) {
        return along_k ? lane + i * Lanes : lane * 4 + i / 4 * 4 * Lanes + i % 4;
    }

    // What is multiplied from k on, where that is not read yet.
    template <bool Aligned>
    __device__ __forceinline__ void read(numbers& to, std::uint32_t stage, int k) const {
        std::uint32_t from = stage + static_cast<std::uint32_t>(first_) + size * k * Tile::k;
        if constexpr (!Aligned) {
            // A group's k begin at a multiple of 4.
            if constexpr (!along_k) from += places_ >> 8 * (k % 4) & 0xff;
#pragma unroll
            for (int i = 0; i < Count; ++i)
                asm volatile("ld.shared.f32 %0, [%1];"
                             : "=f"(to.at[i][k % deep])
                             : "r"(from + size * (line(i, 0) * Tile::line)));
            return;
        }
        if (k % deep != 0) return;
#pragma unroll
        for (int i = 0; i < Count; i += along_k ? 1 : 4) {
            float* const x = to.at[i];  // and the next lines'
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                         : "r"(from + size * (line(i, 0) * Tile::line)));
        }
    }

  private:
    std::uint32_t places_;  // of four runs, in bytes, a byte each
    int first_;             // bytes
};

// A warp's part of a tile.
template <class C>
class ffma_part {
    static constexpr int lanes_m = C::warp_m > C::warp_n ? 8 : 4;
    static constexpr int lanes_n = 32 / lanes_m;
    static constexpr int rows = C::warp_m / lanes_m;
    static constexpr int cols = C::warp_n / lanes_n;
    using lines_of_a = lines_of_lane<typename C::tile_of_a, rows, lanes_m>;
    using lines_of_b = lines_of_lane<typename C::tile_of_b, cols, lanes_n>;

  public:
    using operand = tile_of_operand<float>;
    __device__ __forceinline__ ffma_part(const operand& a, const operand& b,
                                         const place_in_cta& own)
        : a_(a.phase, own.row, own.lane / lanes_n, own.k_group * C::k_of_group),
          b_(b.phase, own.col, own.lane % lanes_n, own.k_group * C::k_of_group) {}

    // A stage, whose tiles begin at these addresses.
    __device__ __forceinline__ void multiply(std::uint32_t a, std::uint32_t b) {
        if (a_.is_aligned() && b_.is_aligned())
            multiply_as<true>(a, b);
        else
            multiply_as<false>(a, b);
    }

    [[nodiscard]] __device__ __forceinline__ const ffma_part& sums() const { return *this; }
    __device__ __forceinline__ void stage(float* sums, const scaling<float>& scaled,
                                          const place_in_cta& own) const {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            float* const to = sums +
                              (own.row + lines_of_a::line(r, own.lane / lanes_n)) * C::sums_stride +
                              own.col;
#pragma unroll
            for (int c = 0; c < cols; ++c)
                to[lines_of_b::line(c, own.lane % lanes_n)] = scaled(at_[r][c]);
        }
    }

  private:
    template <bool Aligned>
    __device__ __forceinline__ void multiply_as(std::uint32_t a, std::uint32_t b) {
        typename lines_of_a::numbers own_a;
        typename lines_of_b::numbers own_b;
#pragma unroll
        for (int k = 0; k < C::k_of_group; ++k) {
            a_.template read<Aligned>(own_a, a, k);
            b_.template read<Aligned>(own_b, b, k);
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

    lines_of_a a_;
    lines_of_b b_;
    float at_[rows][cols] = {};
};

template <lies A, lies B>
struct f32_math {
    using element = float;
    using sum = float;
    using narrow = float;
    template <class C>
    using part = ffma_part<C>;
    static constexpr int least_capability = 75;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 16;
    // Eight runs that are read together lie in different banks.
    static constexpr int padding_along = 4;
    static constexpr int padding_across = 4;
};

}  // namespace carat::cuda::mma
