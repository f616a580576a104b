// What a mutant does to C in a GPU's memory. All start on the stream in use. Sums are M x N doubles
// by rows, until they are stored as C's type.
#pragma once

#include "core/problem.hpp"
#include "mutant.hpp"

namespace carat::mutants {

/// integers, modulo 2^32, to doubles.
void start_widening(const void* integers, std::int64_t count, double* to);

/// The mutant's rectangle += sign A B over its k, with A's k shifted by a_shift and B's by b_shift;
/// with digits, of A or B rounded to so many of them (0: as they are).
struct addend {
    double sign = 1;
    std::int64_t a_shift = 0, b_shift = 0;
    int a_digits = 0, b_digits = 0;
};
void start_adding(const core::problem& p, const core::operands& data, const mutant& by,
                  const addend& what, double* sums);

/// What the mutant's entries become; `right` is a copy of `sums`, `before` the sums of the run
/// before, or null.
void start_spoiling(const core::problem& p, const mutant& by, const double* right,
                    const double* before, double* sums);

void start_storing(const core::problem& p, const double* sums, void* c);

}  // namespace carat::mutants
