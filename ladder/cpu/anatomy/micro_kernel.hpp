// The micro-kernel: mr x nr elements of C held in registers while k runs. Each step of k loads
// nr / lanes vectors of B and broadcasts mr elements of A, and every load is used for a whole row
// or column of multiply-adds (AVX-512 f64, 8 x 24):
//
//              B: 3 vectors            11 loads feed 24 multiply-adds;
//             [   ][   ][   ]          without the register tile each
//      A  o   [ C ][ C ][ C ]          multiply-add costs two loads
//      8  o   [ C ][ C ][ C ]          and a store.
//         :     :    :    :
//
// The tile's shape is the register file's: 24 sums + 3 of B + the broadcasts fill 32 registers;
// with 16 registers, 6 x 2 vectors do (4 x 2 where a multiply-add needs a register for the
// product). Reference: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication,
// 2008; Van Zee and van de Geijn, BLIS, 2015.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"
#include "ladder/cpu/anatomy/simd.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

#if defined(__AVX512F__)
inline constexpr std::int64_t mr = 8, nr_vectors = 3;
#elif defined(__AVX2__)
inline constexpr std::int64_t mr = 6, nr_vectors = 2;
#elif defined(__aarch64__)
inline constexpr std::int64_t mr = 8, nr_vectors = 3;
#else
inline constexpr std::int64_t mr = 4, nr_vectors = 2;
#endif

template <class T>
inline constexpr std::int64_t nr = nr_vectors* lanes<T>;

// C += alpha A B for one mr x nr tile of C, rows of B and C contiguous. ahead(l) is called at each
// step l of k: the place for a prefetch. Fewer rows than mr are what step 13 is about.
template <std::int64_t Rows = mr, class T, class Ahead>
CARAT_INLINE void micro_kernel(std::int64_t k, T alpha, strided<const T> a, const T* b,
                               std::int64_t b_row, T* c, std::int64_t c_row, const Ahead& ahead) {
    vec<T> sum[static_cast<std::size_t>(Rows)][nr_vectors] = {};
    for (std::int64_t l = 0; l < k; ++l) {
        ahead(l);
        vec<T> b_l[nr_vectors];
#pragma GCC unroll 8
        for (std::int64_t v = 0; v < nr_vectors; ++v) b_l[v] = load(b + v * lanes<T>);
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < Rows; ++i) {
            const vec<T> a_il = broadcast(a.data[i * a.row_stride]);
#pragma GCC unroll 8
            for (std::int64_t v = 0; v < nr_vectors; ++v)
                sum[i][v] = multiply_add(a_il, b_l[v], sum[i][v]);
        }
        a.data += a.col_stride;
        b += b_row;
    }
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
        for (std::int64_t v = 0; v < nr_vectors; ++v) {
            T* const c_iv = c + i * c_row + v * lanes<T>;
            store(c_iv, multiply_add(broadcast(alpha), sum[i][v], load(c_iv)));
        }
    }
}

}  // namespace carat::ladder::cpu::CARAT_ISA
