// How far an entry of C may be from the exact one: the bound of verify.hpp, term by term, for one
// claimed precision. All bounds are absolute; the caller divides by u D to report them in ulp.
#pragma once

#include <cstdint>
#include <string_view>

#include <carat/types.hpp>

#include "lab/verify/source.hpp"

namespace carat::verify {

// A binary floating-point format, or a way to compute.
struct precision {
    std::string_view name;
    double roundoff;        // u, of one addition or multiplication
    double input_roundoff;  // of an operand before it takes part; 0: none
    int digits;             // bits of the significand
    double largest;
    double smallest;  // largest error of an operation that underflows, twice
    bool integer = false;
    // Sums of this many products are added up in f32; 0: `roundoff` applies to every addition.
    std::int64_t promoted_after = 0;
    // The range of operands rounded to a format with less range; like the two above for sums. 0:
    // none.
    double largest_operand = 0;
    double smallest_operand = 0;
    // Truncation of sums goes by exponents, so subnormal operands count as if each were this large;
    // 0: by their values.
    double nominal_operand = 0;
};

// The precision with this name; an empty name means what the types suggest (verify.hpp). Throws
// carat::error for an unknown name.
[[nodiscard]] precision precision_of(std::string_view name, const core::problem& p);

// What a claim allows in this problem. It does not depend on the entry, so it is made once per
// check.
class bound {
  public:
    bound(const precision& claimed, const core::problem& p, bool twofold_reference);

    // An entry or, for Freivalds, a row of them summed up.
    struct entry {
        std::int64_t terms = 0;  // z: products that are not zero
        double magnitude = 0;    // D
        double value = 0;        // of the exact entry, or at least its magnitude
        double neighbours = 0;   // sum of |A(i,.)| or |B(.,j)|, whichever is larger
        bool exact = false;      // no order of summation rounds
    };
    [[nodiscard]] double of(const entry& e) const;

    // Whether every order computes the entry without rounding, given the magnitude D, the grids of
    // its row and column and that of C0.
    [[nodiscard]] bool is_exact(double magnitude, int a_grid, int b_grid, int c_grid) const;

    // Whether some order of summation may overflow on the way, so that Inf or NaN is allowed.
    [[nodiscard]] bool may_overflow(double magnitude, double a_largest, double b_largest) const;

    // Whether the entry may round to infinity in C's own type.
    [[nodiscard]] bool rounds_to_infinity(double value, double tolerance) const;

    // The unit in which errors are reported: u D, with u of the claim or of C's type, whichever is
    // coarser, but at least the smallest subnormal.
    [[nodiscard]] double unit(double magnitude) const;
    [[nodiscard]] const precision& claimed() const { return claimed_; }

  private:
    [[nodiscard]] double roundoffs(std::int64_t terms) const;
    [[nodiscard]] std::int64_t later_steps(std::int64_t terms, std::int64_t most_terms) const;
    [[nodiscard]] double nominal_magnitude(const entry& e) const;
    [[nodiscard]] int digits_lost_by(int operand_grid) const;

    precision claimed_;
    precision stored_;
    std::int64_t k_;
    double coarser_roundoff_;
    double alpha_;
    double beta_;
    int alpha_grid_;
    int beta_grid_;
    int further_roundings_;  // besides one per product and one per addition
    double reference_error_;
    double inflation_;  // D itself is computed in doubles
};

}  // namespace carat::verify
