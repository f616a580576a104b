// Verification with a bound of 0: operands for which a correct kernel rounds nothing in any order
// of summation, and whose C is known in O(M N). One pass fills A and B, poisons C, runs, and checks
// every entry. docs/adr/0115-exact-passes.md says what the passes find and what they cannot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/rows/operation.hpp"
#include "lab/verify/exact_rules.hpp"
#include "lab/verify/verify.hpp"

namespace carat::verify {

enum class exact_kind : std::uint8_t { sums, significands };

[[nodiscard]] constexpr std::string_view name(exact_kind kind) {
    return kind == exact_kind::sums ? "sums" : "significands";
}

/// The result of comparing every entry.
struct mismatches {
    std::int64_t wrong = 0;
    std::int64_t row = -1, col = -1;  // the first
    double got = 0, expected = 0;     // there
    double largest_error = 0;
};

/// Why C is not known exactly with these factors: they are no multiples of a quarter up to 4, or of
/// 1 for integers. Empty if it is.
[[nodiscard]] std::string reason_against_exact(double alpha, double beta, dtype c_type);

/// One pass over one product, for an implementation that claims to compute in `computes_in` (as in
/// reference::check).
class exact_pass {
  public:
    /// @throws carat::error for an unknown claim, and if reason_against_exact() has a reason.
    exact_pass(const core::problem& p, std::string_view computes_in, exact_kind kind,
               std::uint64_t seed, int threads = 0, const rows::epilogue& last = {});

    /// Whether the operands are the same for two claims.
    [[nodiscard]] bool same_operands(const exact_pass& other) const;

    /// Writes A and B in host memory in the problem's layout. Implementations must not change them.
    void fill(const void* a, const void* b) const;

    /// Writes the C that is read if beta is not 0; leaves the padding between its lines.
    void fill_c(void* c) const;

    /// The seed of the bias, so that products may share one.
    void draw_bias_from(std::uint64_t seed) { factors_.bias_seed = seed; }

    /// Sets the number of rows, by the rules of the problem it was made for.
    void take_rows(std::int64_t m) { problem_.m = rows_.lines = m; }

    /// The number that an epilogue adds to column j.
    [[nodiscard]] double bias(std::int64_t j) const { return factors_.bias(j); }

    /// Compares every entry of the C at `c` (host memory).
    [[nodiscard]] verdict check(const void* c) const;

    /// The verdict on a comparison made elsewhere; `unwritten`: the first one is still poison.
    [[nodiscard]] verdict conclude(const mismatches& found, bool unwritten) const;

    [[nodiscard]] exact_kind kind() const { return kind_; }
    [[nodiscard]] const line_rules& rows() const { return rows_; }
    [[nodiscard]] const line_rules& cols() const { return cols_; }
    [[nodiscard]] const factors& with() const { return factors_; }

  private:
    core::problem problem_;
    exact_kind kind_;
    int threads_;
    line_rules rows_;  // of A
    line_rules cols_;  // of B
    factors factors_;
};

}  // namespace carat::verify
