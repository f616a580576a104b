// A warp's operands of one step, 32 bytes of K, from shared memory into registers as mma.sync wants
// them: words `word` and `word + 4` of a line's eight, with word = lane % 4 (ptx/mma.cuh).
//
//     lines along K               ldmatrix, of elements of any size
//     lines across K, 16 bits     ldmatrix, transposed
//     lines across K, 32 bits     word by word
#pragma once

#include <type_traits>

#include "cuda/families/mma/config.hpp"
#include "cuda/ptx/ldmatrix.cuh"

namespace carat::cuda::mma {

// A's second register holds the lines 8 further; B's holds the words 4 further.
enum class second_register : std::uint8_t { next_lines, next_words };

// Where a lane reads pieces of 16 lines of an operand's tile.
template <class Math, class Tile, second_register Second>
class fragment_reader {
    static constexpr bool along_k = Tile::k == 1;
    static constexpr int size = sizeof(typename Math::element);
    static constexpr bool by_words = !along_k && size == 4;
    static_assert(along_k || size == 2 || size == 4);
    static constexpr int line_bytes = Tile::line * size;
    static constexpr int k_bytes = Tile::k * size;
    static constexpr int k_of_step = 32 / size;

  public:
    __device__ __forceinline__ fragment_reader(int first_line, int lane) {
        if constexpr (by_words) {
            first_ = (first_line + lane / 4) * line_bytes + lane % 4 * k_bytes;
        } else {
            const bool is_a = Second == second_register::next_lines;
            const int next_line = is_a ? lane / 8 % 2 * 8 : lane / 16 * 8;
            const int next_half = is_a ? lane / 16 : lane / 8 % 2;  // of 32 bytes
            const int line = first_line + next_line + (along_k ? lane % 8 : 0);
            const int k = next_half * k_of_step / 2 + (along_k ? 0 : lane % 8);
            first_ = line * line_bytes + Tile::place(line, k) * k_bytes;
        }
    }

    __device__ __forceinline__ void read(std::uint32_t (&to)[4], std::uint32_t stage, int piece,
                                         int step) const {
        const int first = Tile::swizzled ? first_ ^ step * 32 : first_ + step * k_of_step * k_bytes;
        const std::uint32_t from =
            stage + static_cast<std::uint32_t>(first + piece * 16 * line_bytes);
        if constexpr (by_words) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const bool low = i % 2 != 0;
                const bool high = i / 2 != 0;
                const bool is_a = Second == second_register::next_lines;
                const int place =
                    (is_a ? low : high) * 8 * line_bytes + (is_a ? high : low) * 4 * k_bytes;
                asm volatile("ld.shared.u32 %0, [%1];"
                             : "=r"(to[i])
                             : "r"(from + static_cast<std::uint32_t>(place)));
            }
        } else {
            ptx::load_matrices(to, from, !along_k);
        }
    }

  private:
    int first_;  // bytes
};

template <class C>
struct step_fragments {
    std::uint32_t a[C::warp_m / 16][4];
    std::uint32_t b[C::warp_n / 16][4];

    template <class Instruction>
    __device__ __forceinline__ void multiply(typename C::sum (&sums)[4], int i, int j) const {
        Instruction::multiply(sums, a[i], {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]});
    }
};

template <class C>
class step_reader {
    using math = typename C::math;

  public:
    using fragments = step_fragments<C>;
    __device__ __forceinline__ explicit step_reader(const place_in_cta& own)
        : a_(own.row, own.lane), b_(own.col, own.lane) {}

    // Reads from the stage whose tiles begin at these addresses.
    __device__ __forceinline__ void read(fragments& to, std::uint32_t a, std::uint32_t b,
                                         int step) const {
#pragma unroll
        for (int i = 0; i < C::warp_m / 16; ++i) a_.read(to.a[i], a, i, step);
#pragma unroll
        for (int j = 0; j < C::warp_n / 16; ++j) b_.read(to.b[j], b, j, step);
    }
    __device__ __forceinline__ void read_early(fragments& to, std::uint32_t a, std::uint32_t b,
                                               int step) const {
        read(to, a, b, step);
    }
    __device__ __forceinline__ void read_late(fragments&, std::uint32_t, int, int) const {}

  private:
    fragment_reader<math, typename C::tile_of_a, second_register::next_lines> a_;
    fragment_reader<math, typename C::tile_of_b, second_register::next_words> b_;
};

}  // namespace carat::cuda::mma
