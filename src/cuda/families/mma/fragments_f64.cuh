// A warp's operands of one step of f64, 8 of K, one by one: a lane with `word` = lane % 4 has k =
// word and word + 4 of each line, as small tiles do (words.cuh).
#pragma once

#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"

namespace carat::cuda::mma {

template <class C>
struct f64_fragments {
    double a[C::warp_m / 16][4];
    double b[C::warp_n / 8][2];

    template <class Instruction>
    __device__ __forceinline__ void multiply(double (&sums)[4], int i, int j) const {
        Instruction::multiply(sums, a[i], b[j]);
    }
};

template <class C>
class f64_reader {
    // Where a lane reads an operand's tile, in bytes.
    template <class Tile>
    static __device__ __forceinline__ constexpr int place(int line, int k) {
        return 8 * (line * Tile::line + k * Tile::k);
    }
    // k and k + 4 of the lines that begin `line` after the lane's first.
    template <class Tile>
    static __device__ __forceinline__ void read_two(double& x, double& y, std::uint32_t from,
                                                    int line, int step) {
        read_one(x, from + static_cast<std::uint32_t>(place<Tile>(line, step * 8)));
        read_one(y, from + static_cast<std::uint32_t>(place<Tile>(line, step * 8 + 4)));
    }
    static __device__ __forceinline__ void read_one(double& x, std::uint32_t from) {
        asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(from));
    }

  public:
    using fragments = f64_fragments<C>;

    __device__ __forceinline__ explicit f64_reader(const place_in_cta& own)
        : a_(place<typename C::tile_of_a>(own.row + own.lane / 4, own.lane % 4)),
          b_(place<typename C::tile_of_b>(own.col + own.lane / 4, own.lane % 4)) {}

    __device__ __forceinline__ void read(fragments& to, std::uint32_t a, std::uint32_t b,
                                         int step) const {
        read_early(to, a, b, step);
#pragma unroll
        for (int j = 0; j < C::warp_n / 8; ++j) read_late(to, b, step, j);
    }
    __device__ __forceinline__ void read_early(fragments& to, std::uint32_t a, std::uint32_t,
                                               int step) const {
#pragma unroll
        for (int i = 0; i < C::warp_m / 16; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                read_two<typename C::tile_of_a>(to.a[i][half], to.a[i][half + 2],
                                                a + static_cast<std::uint32_t>(a_),
                                                i * 16 + half * 8, step);
    }
    // B's column, into the registers of the one that has just been multiplied.
    __device__ __forceinline__ void read_late(fragments& to, std::uint32_t b, int step,
                                              int column) const {
        read_two<typename C::tile_of_b>(to.b[column][0], to.b[column][1],
                                        b + static_cast<std::uint32_t>(b_), column * 8, step);
    }

  private:
    int a_;
    int b_;
};

}  // namespace carat::cuda::mma
