// How a product runs on a matrix unit, whose appetite is the problem: it multiplies far faster than
// memory beyond L2 delivers, and its sums take twice to four times the bytes of its operands.
//
//   C block  mc x nc   32-bit sums; stays in L2 over all of K, and leaves once
//   slab of B kc x nc  packed, in L2, read again for every micropanel of A
//   micropanel of A 32 x kc packed, in L1, read again for every micropanel of B
#pragma once

#include "plan/cpu_plan.hpp"

namespace carat::plan {

struct matrix_unit_shape {
    std::string_view name;
    int extent = 32;        // rows and columns of one product of tiles
    int step_k = 32;        // k of one step of the unit
    int element_bytes = 2;  // of operands
};

struct matrix_unit_plan {
    blocking blocks;             // mc and nc multiples of lines, kc of step_k unless it is K
    bool keeps_a = true;         // packed A is kept, else packed again for each panel of B
    bool keeps_b = true;         // packed B is kept for the next block of A, else packed again
    bool reads_a = false;        // A is multiplied where it lies
    bool packs_a_slabs = false;  // mc rows of A are packed at a time, else a micropanel
    bool streams_c = false;      // C, where its rows begin on lines of cache, is written past them
    // Threads pack the whole operand together, before they multiply. Otherwise each packs what it
    // needs, and so do all others with the same rows or columns of C.
    bool shares_a = false;
    bool shares_b = false;
    int threads_m = 1;
    int threads_n = 1;
    // Pieces of a thread's rectangle, along its rows or columns, which others take up when its own
    // thread is late.
    int pieces = 1;
    bool pieces_along_n = false;

    [[nodiscard]] int threads() const { return threads_m * threads_n; }
};

[[nodiscard]] matrix_unit_plan make_matrix_unit_plan(const request& wanted,
                                                     const matrix_unit_shape& unit,
                                                     const machine& on);

[[nodiscard]] std::string explain(const matrix_unit_plan& plan, const request& wanted,
                                  const matrix_unit_shape& unit, const machine& on);

}  // namespace carat::plan
