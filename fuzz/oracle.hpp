// The allowed values of an entry of C: the exact value, and an error bound that holds for every
// order of summation (docs/fuzzing.md derives it).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "product_case.hpp"
#include "sums.hpp"
#include "workbench.hpp"

namespace carat::fuzz {

// The arithmetic in which sums are formed.
struct arithmetic {
    long double roundoff;
    long double underflow;  // what an operation may lose beside its roundoff
    long double largest;
    int digits;               // sums of whole numbers are exact up to 2^digits
    long double product = 0;  // what each product of two elements may be off by beside that
    bool is_fp8 = false;
    bool flushes = false;  // takes subnormal numbers for zeros
};

struct expectation {
    long double value = 0;
    long double error = 0;
    // An intermediate result may overflow in some order of summation.
    bool excused = false;
    // A part of a number that multiplies infinity may be 0 or of the other sign.
    bool may_be_nan = false;
};

// The range that contains the largest of many numbers.
struct range {
    long double low = 0;
    long double high = 0;
    bool is_nan = false;
    bool excused = false;
};

class oracle {
  public:
    // The oracle for one product of a case. `flushes`: bf16's subnormal numbers may become zeros.
    oracle(const product_case& c, const workbench& on, std::size_t product, bool flushes);

    [[nodiscard]] expectation at(std::size_t i, std::size_t j) const;
    // Whether the expectation allows a stored value.
    [[nodiscard]] bool allows(const expectation& e, double stored) const;
    // Empty, or the first entry that cannot be right.
    [[nodiscard]] std::string check(std::span<const double> stored, std::size_t& excused) const;

    // Extends `all` by the |x| of all numbers before a step of the epilogue.
    void note_largest(std::size_t step, range& all) const;

    // Elements as they are multiplied, block scales included.
    [[nodiscard]] double a(std::size_t i, std::size_t p) const { return a_[i * size_.k + p]; }
    [[nodiscard]] double b(std::size_t p, std::size_t j) const { return b_[p * sums_.n + j]; }

    // Whether every integer result fits, and whether the bound from the largest elements does.
    [[nodiscard]] bool fits() const;
    [[nodiscard]] bool bound_fits() const;

    [[nodiscard]] const product_sums& sums() const { return sums_; }
    [[nodiscard]] const product_size& size() const { return size_; }

  private:
    // Whether an entry is so close that its larger bound need not be computed. False says nothing.
    [[nodiscard]] bool is_near(std::size_t i, std::size_t j, double stored) const;
    [[nodiscard]] bool reads_operands() const { return c_.alpha() != 0 && size_.k != 0; }
    [[nodiscard]] long double relative_error() const;
    [[nodiscard]] long double largest_as_read() const;
    // Whether an infinity in C(i, j)'s sum may become NaN.
    [[nodiscard]] bool may_lose_infinity(std::size_t i, std::size_t j) const;
    // The sum, and the steps up to a gate.
    [[nodiscard]] expectation before_gate(std::size_t i, std::size_t j, std::size_t steps) const;
    // A B and this many steps.
    [[nodiscard]] expectation after(std::size_t i, std::size_t j, std::size_t steps) const;
    [[nodiscard]] expectation gated(std::size_t i, std::size_t j, std::size_t gate) const;
    void activate(detail::step_kind kind, expectation& x) const;
    [[nodiscard]] long double e_at(std::size_t i, std::size_t j) const;
    [[nodiscard]] expectation plain_sum(std::size_t i, std::size_t j, long double e) const;
    [[nodiscard]] expectation byte_sum(std::size_t i, std::size_t j) const;
    void take_step(std::size_t step, std::size_t i, std::size_t j, expectation& x) const;
    void add_e(expectation& x, long double e) const;
    // Adds the rounding error of an operation whose exact result is now x.value.
    void round(expectation& x) const;

    const product_case& c_;
    const workbench& on_;
    std::size_t product_;
    product_size size_;
    arithmetic in_;
    std::vector<double> scaled_a_;
    std::vector<double> scaled_b_;
    std::span<const double> a_;
    std::span<const double> b_;
    product_sums sums_;
    long double relative_;  // of a sum, and of the oracle's own
    long double own_relative_;
    bool is_plain_;  // sums of floating point, without an epilogue
};

}  // namespace carat::fuzz
