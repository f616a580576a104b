// Is this C the product of these matrices? A reference is computed once per case in more precision
// than any implementation claims, and every implementation's C is held against it, entry by entry,
// with a bound that any correct order of summation meets and careless arithmetic does not.
//
// Componentwise. Let D = |alpha| |A| |B| + |beta| |C0|. Every product that takes part in entry
// (i, j) suffers at most one rounding of its own, one by alpha and at most z by additions, where z
// counts the p with A(i,p) and B(p,j) not zero: adding zero is exact. So in any order, blocked or
// not, fused or not (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1
// and equation 3.5)
//     |C - Cref|(i,j) <= ((1 + u)^(z + 2) - 1) D(i,j),     u = unit roundoff of what is claimed,
// plus one rounding to C's own type where that is coarser, plus what the reference itself may be
// off, plus the smallest subnormal for each operation that may underflow. When all products and
// sums are multiples of one power of two and D stays below 2^p of it (p bits of precision), no
// order rounds at all, and the bound is 0: whole-number data are compared bit for bit.
// Integers are compared exactly, modulo 2^32. See docs/adr/0040-error-bound.md.
//
// Freivalds, for products beyond `options::componentwise_madds`. (C - Cref) r with 31 random sign
// vectors r, row by row, against the sum of the row's bounds: a row with an entry off by more than
// that sum escapes one vector with probability at most 1/2, all of them with at most 2^-31. An
// entry off by less than its row's sum of bounds (n times its own) may escape; so the first, last
// and some random rows and columns are checked entry by entry as well.
//
// A bound that every order meets is wide where K is large: see exact.hpp for passes without one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/problem.hpp"

namespace carat::verify {

enum class method : std::uint8_t { componentwise, freivalds, exact };

/// The name in results files.
[[nodiscard]] constexpr std::string_view name(method m) {
    return m == method::componentwise ? "componentwise"
           : m == method::freivalds   ? "freivalds"
                                      : "exact";
}

struct verdict {
    bool passed = false;
    method how = method::componentwise;
    // Worst |C - Cref| / (u D) of all entries checked, or that of the failing one; infinite where
    // one of the two is NaN or Inf.
    double error_ulp = 0;
    double bound_ulp = 0;  // the same entry's bound, in the same unit
    // Largest |C - Cref| of the entries checked one by one, whatever their magnitude.
    double max_abs_error = 0;
    std::int64_t row = -1;  // that entry; col is -1 where only a row is known
    std::int64_t col = -1;
    std::int64_t wrong = 0;  // entries (Freivalds: rows too) beyond their bound
    std::string reason;      // one line for people; empty when passed
};

struct options {
    double componentwise_madds = 6.5e10;  // m n k up to which every entry is checked: 4000^3
    int threads = 0;                      // 0: all of them; small products take one
    std::uint64_t seed = 1;               // of the random vectors, rows and columns
    // Called now and then on the constructing thread with the fraction done; false cancels.
    std::function<bool(double)> progress = {};
};

/// Thrown by the constructor of `reference` when `options::progress` returned false.
struct cancelled {};

/// The product of one case, in more precision than any implementation has. Immutable once built.
class reference {
  public:
    /// `initial` holds A, B and, unless beta is 0, the C that the product starts from, in host
    /// memory; C is copied if it is needed later, A and B need not outlive the constructor.
    /// @throws carat::error for what cannot be checked: integer types with an alpha or beta that is
    /// not whole, or NaN and Inf in operands of a product too large for the componentwise method.
    reference(const core::problem& p, const core::operands& initial, const options& how = {});
    reference(reference&&) noexcept;
    reference& operator=(reference&&) noexcept;
    ~reference();

    /// Judges the C at `c` (host memory, the problem's layout) by the precision its type suggests:
    /// f64 and f32 their own, f16 and bf16 accumulation in f32, integers exact.
    [[nodiscard]] verdict check(const void* c) const;

    /// The same for an implementation that says what it computes in: f64, f32, tf32, 3xtf32, f16
    /// (operands rounded to it, sums in f32), f16/f32 (f16 sums of 32 products, added up in f32),
    /// bf16, fp8/f32 (sums of 14 bits, added up in f32 after 128 products) or fp8/14-bit (such sums
    /// throughout), the first word of "f32, rounded once"; integers are exact whatever it says.
    /// @throws carat::error for another word.
    [[nodiscard]] verdict check(const void* c, std::string_view computes_in) const;

    [[nodiscard]] method how() const;

  private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// Host memory that building and holding a reference takes, in bytes, beyond the operands.
[[nodiscard]] std::int64_t bytes_needed(const core::problem& p, const options& how = {});

/// Fills the elements of C with a pattern that no product gives (a signalling NaN; for integers an
/// unlikely number), so that check() recognises entries never written. For beta = 0.
void poison(const core::problem& p, void* c);

}  // namespace carat::verify
