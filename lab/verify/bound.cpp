#include "lab/verify/bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"

namespace carat::verify {

namespace {

constexpr double u_f64 = 0x1p-53;
constexpr precision f64 = {"f64", u_f64, 0, 53, std::numeric_limits<double>::max(), 0x1p-1074};
constexpr precision f32 = {"f32", 0x1p-24, 0, 24, std::numeric_limits<float>::max(), 0x1p-149};

constexpr precision f16 = {"f16", 0x1p-11, 0, 11, 65504, 0x1p-24};
constexpr precision integer = {"integers", 0, 0, 0, 0, 0, true};

// Units fed bf16 or tf32 may flush subnormals, inputs too: two smallest normal numbers of f32. tf32
// units may also cut their inputs to 11 bits instead of rounding them.
constexpr double flushing = 0x1p-125;
constexpr precision bf16 = {"bf16", 0x1p-8, 0, 8, 0x1.fep127, flushing};
constexpr precision tf32 = {"tf32", 0x1p-24, 0x1p-10, 11, f32.largest, flushing};

// A tensor core adds 32 products of fp8 and the sum before them at a time: it truncates each to 13
// bits below the largest exponent, which is one of the terms', and their sum to 14 bits, exactly as
// tests/verify/fp8_unit.hpp (docs/adr/0068). Each truncation loses less than 2^-13 of D. A
// product's exponent is the sum of its operands', where a subnormal e4m3 has that of 2^-6.
constexpr std::int64_t products_of_step = 32;
constexpr double least_normal_e4m3 = 0x1p-6;
constexpr precision fp8_fast = {"fp8/14-bit", 0x1p-13, 0, 14, f32.largest,      flushing,
                                false,        0,       0, 0,  least_normal_e4m3};
// cuBLASLt's default: such sums end after 128 products and are added up in f32.
constexpr precision fp8 = {"fp8/f32", 0x1p-13, 0, 14, f32.largest,      flushing,
                           false,     128,     0, 0,  least_normal_e4m3};
// f32 in two halves of tf32: 2^-22 of an operand is lost, and small times small. Their sums are
// f32's, but each step of the tensor cores cuts, where f32 rounds.
constexpr precision halves = {"3xtf32", 0x1p-23, 0x1p-21, 22, f32.largest, flushing};
// Sums of f16 end after 32 products and are added up in f32, docs/adr/0075.
constexpr precision short_f16 = {"f16/f32",   f16.roundoff, 0,     f16.digits,
                                 f16.largest, f16.smallest, false, 32};
// What is multiplied in f16, whatever it was before, tensor cores sum in f32.
constexpr precision f16_operands = {"f16",        f32.roundoff, 0x1p-10, f16.digits,  f32.largest,
                                    f32.smallest, false,        0,       f16.largest, f16.smallest};
constexpr std::array precisions = {f64,       f32,  tf32, halves,  f16_operands,
                                   short_f16, bf16, fp8,  fp8_fast};

// C's own format: storing rounds to it once.
constexpr precision format_of(dtype type) {
    if (is_integer(type)) return integer;
    if (type == dtype::bf16) return bf16;  // units fed with it may flush
    const dtype_traits& t = traits_of(type);
    const double smallest = core::power_of_two(t.least_exponent - t.significand_bits + 1);
    return {t.name, core::unit_roundoff(type), 0, t.significand_bits, t.largest, smallest};
}

// (1 + x)^... - 1 for a sum x of roundoffs: at most e^x - 1 (and e^x - 1 <= x + x^2 up to 1).
double growth(double x) {
    return x < 0.5 ? x * (1 + x) : std::expm1(x);
}

// Whether a factor survives rounding to a precision.
bool fits(double factor, const precision& p) {
    const double magnitude = std::abs(factor);
    if (magnitude == 0) return true;
    return magnitude <= p.largest && std::ilogb(magnitude) - grid_of(magnitude) < p.digits;
}

}  // namespace

precision precision_of(std::string_view asked, const core::problem& p) {
    if (is_integer(p.c_type)) return integer;
    // "f32, rounded once" states more than the precision; its first word is what counts here.
    const std::string_view first_word = asked.substr(0, asked.find_first_of(" ,"));
    const bool narrow = is_floating(p.c_type) && core::is_storage_type(p.c_type);
    const std::string_view wanted = !first_word.empty() ? first_word
                                    : narrow            ? "f32"
                                                        : name(p.c_type);
    const auto* found = std::ranges::find(precisions, wanted, &precision::name);
    if (found == precisions.end())
        throw error(error_code::invalid_argument,
                    "verification: '" + std::string(asked) + "' is no precision known for " +
                        std::string(name(p.c_type)) +
                        ": use f64, f32, tf32, 3xtf32, f16, f16/f32, bf16, fp8/f32 or fp8/14-bit");
    precision claimed = *found;
    if (claimed.name == "f32" && p.a_type == dtype::bf16) claimed.smallest = flushing;
    return claimed;
}

bound::bound(const precision& claimed, const core::problem& p, bool twofold_reference)
    : claimed_(claimed),
      stored_(format_of(p.c_type)),
      k_(p.k),
      coarser_roundoff_(std::max({claimed.roundoff, claimed.input_roundoff / 2, stored_.roundoff})),
      alpha_(p.alpha),
      beta_(p.beta),
      alpha_grid_(p.alpha == 0 ? line_facts::any_grid : grid_of(p.alpha)),
      beta_grid_(p.beta == 0 ? line_facts::any_grid : grid_of(p.beta)) {
    const bool factors_fit = fits(p.alpha, claimed) && fits(p.beta, claimed);
    further_roundings_ = factors_fit ? 2 : 3;
    const double k_u = (static_cast<double>(p.k) + 8) * u_f64;
    reference_error_ = twofold_reference ? 2 * k_u * k_u : k_u;
    inflation_ = 1 + 2 * k_u;
}

double bound::unit(double magnitude) const {
    return std::max(coarser_roundoff_ * magnitude, claimed_.smallest);
}

// Truncations of the sum before, one in each step but the first. Steps without a product other than
// 0 truncate nothing.
std::int64_t bound::later_steps(std::int64_t terms, std::int64_t most_terms) const {
    if (claimed_.nominal_operand == 0) return 0;
    const std::int64_t most_steps = (most_terms + products_of_step - 1) / products_of_step;
    return std::max<std::int64_t>(std::min(terms, most_steps) - 1, 0);
}

// The sum of the roundoffs that one term may suffer on its way into the entry.
double bound::roundoffs(std::int64_t terms) const {
    const auto steps = [&](std::int64_t count) { return static_cast<double>(count); };
    const std::int64_t promoted = claimed_.promoted_after;
    if (promoted == 0)
        return steps(terms + further_roundings_ + later_steps(terms, k_)) * claimed_.roundoff;
    const std::int64_t of_block = std::min(terms, promoted);
    return steps(of_block + later_steps(of_block, promoted)) * claimed_.roundoff +
           steps(terms / promoted + 1 + further_roundings_) * f32.roundoff;
}

// An upper bound of D if no operand were smaller than the least normal number.
double bound::nominal_magnitude(const entry& e) const {
    const double least = claimed_.nominal_operand;
    if (least == 0) return e.magnitude;  // neighbours may be infinite
    const double added = 2 * e.neighbours + least * static_cast<double>(e.terms);
    return e.magnitude + std::abs(alpha_) * least * added;
}

double bound::of(const entry& e) const {
    const double last = claimed_.promoted_after == 0 ? claimed_.roundoff : f32.roundoff;
    const double storing = stored_.roundoff > last ? stored_.roundoff : 0;
    const double storing_underflow = storing > 0 ? stored_.smallest : 0;
    // cuBLAS rounds to a narrow C's type before it adds beta C.
    const double before_c =
        beta_ != 0 && stored_.roundoff > f32.roundoff ? storing * e.magnitude : 0;
    if (e.exact)
        return e.value == 0 ? before_c : storing * std::abs(e.value) + before_c + storing_underflow;
    const auto steps = static_cast<double>(e.terms + further_roundings_);
    const double relative = growth(roundoffs(e.terms) + 2 * claimed_.input_roundoff);
    double tolerance =
        (relative * nominal_magnitude(e) + reference_error_ * e.magnitude) * inflation_;
    // Products, the two factors and, where alpha is multiplied into A or B first, the operands.
    // Twice, since the reference underflows where f64 does.
    const bool scales = std::abs(alpha_) != 1 && alpha_ != 0;
    const double underflows = steps * std::max(1.0, std::abs(alpha_)) + (scales ? e.neighbours : 0);
    const double of_operands = claimed_.smallest == flushing ? flushing : claimed_.smallest_operand;
    tolerance += claimed_.smallest * underflows +
                 of_operands * std::max(1.0, std::abs(alpha_)) * 2 * e.neighbours + before_c;
    return tolerance + storing * (std::abs(e.value) + tolerance) + storing_underflow;
}

// Subnormal operands on such a grid count as this many times 2 larger by their exponents.
int bound::digits_lost_by(int operand_grid) const {
    if (claimed_.nominal_operand == 0) return 0;
    return std::max(0, std::ilogb(claimed_.nominal_operand) - operand_grid);
}

bool bound::is_exact(double magnitude, int a_grid, int b_grid, int c_grid) const {
    if (claimed_.input_roundoff != 0) return false;
    const int grid = std::min(alpha_grid_ + a_grid + b_grid, beta_grid_ + c_grid);
    if (grid >= line_facts::any_grid) return true;
    const bool representable = grid >= std::ilogb(claimed_.smallest);
    const int digits = claimed_.digits - digits_lost_by(a_grid) - digits_lost_by(b_grid);
    return representable && magnitude * inflation_ <= std::ldexp(1.0, digits + grid) &&
           magnitude * inflation_ <= claimed_.largest;
}

bool bound::may_overflow(double magnitude, double a_largest, double b_largest) const {
    if (claimed_.largest_operand > 0 && std::max(a_largest, b_largest) > claimed_.largest_operand)
        return true;
    // The sums may be formed before alpha, or alpha multiplied into A or B.
    const double alpha = std::abs(alpha_);
    const double before_alpha = alpha == 0 ? magnitude : magnitude * std::max(1.0, 1 / alpha);
    const double most =
        std::max({before_alpha, alpha * a_largest, alpha * b_largest, alpha, std::abs(beta_)});
    return !(most * inflation_ * (1 + 4 * claimed_.roundoff) < claimed_.largest);
}

bool bound::rounds_to_infinity(double value, double tolerance) const {
    return std::abs(value) + tolerance > stored_.largest;
}

}  // namespace carat::verify
