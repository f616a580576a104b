// How large and how long the numbers of an exact pass may be for a claimed arithmetic: nothing may
// round in any order of summation.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <carat/error.hpp>

#include "lab/rows/operation.hpp"
#include "lab/verify/bound.hpp"
#include "lab/verify/exact.hpp"

namespace carat::verify {

namespace {

// Whole numbers up to 2^digits stay exact ...
struct arithmetic {
    std::string_view claim;
    int operand_digits;               // ... as operands,
    int sum_digits;                   // in sums,
    std::int64_t promoted_after = 0;  // which end after so many products
    int total_digits = 0;             // and are added up in such; 0: they don't end
};

// 3xtf32 and fp8 truncate where others round: one bit less than bound.cpp allows them.
constexpr std::array claims = {
    arithmetic{"f64", 53, 53},       arithmetic{"f32", 24, 24},
    arithmetic{"tf32", 11, 24},      arithmetic{"3xtf32", 22, 23},
    arithmetic{"f16", 11, 24},       arithmetic{"f16/f32", 11, 11, 32, 24},
    arithmetic{"bf16", 8, 8},        arithmetic{"fp8/f32", 4, 13, 128, 24},
    arithmetic{"fp8/14-bit", 4, 13}, arithmetic{"integers", 31, 31}};

int digits_of(dtype type) {
    if (type == dtype::i32) return 30;  // sums of two stay below 2^31
    return traits_of(type).significand_bits;
}

// Just long enough for the next narrower type to lose a bit, since there must be many of them.
int wide_digits_of(dtype type) {
    if (type == dtype::f64) return 25;
    if (type == dtype::f32) return 12;
    if (type == dtype::i32) return 17;
    return digits_of(type);
}

int log2_up(std::int64_t x) {
    int e = 0;
    while ((std::int64_t{1} << e) < x) ++e;
    return e;
}

// Whether sums of products up to `largest` stay exact if one of `stride` k has one.
bool fits(const arithmetic& how, std::int64_t k, std::int64_t stride, double largest) {
    const auto terms = [&](std::int64_t depth) {
        return static_cast<double>((depth + stride - 1) / stride + (stride > 1 ? 1 : 0));
    };
    const bool promoted = how.promoted_after > 0;
    const std::int64_t group = promoted ? std::min(k, how.promoted_after) : k;
    return terms(group) * largest <= std::ldexp(1.0, how.sum_digits) &&
           (!promoted || terms(k) * largest <= std::ldexp(1.0, how.total_digits));
}

// Small numbers: as large as fit, all of one sign where C can hold their sum, so that nothing
// dropped can cancel; else of random signs and so small that C mostly holds them. They leave wide
// ones enough room to stand at every k between them.
void choose_small(const core::problem& p, const arithmetic& how, int spared, line_rules& a,
                  line_rules& b) {
    const double holds = std::ldexp(1.0, digits_of(p.c_type) - spared);
    const auto k = static_cast<double>(p.k);
    const int operand = std::min({digits_of(p.a_type), digits_of(p.b_type), how.operand_digits});
    const int wide = std::min(wide_digits_of(p.a_type), how.operand_digits);
    const auto try_most = [&](std::int64_t most) {
        const auto square = static_cast<double>(most * most);
        if (log2_up(most + 1) > operand || !fits(how, p.k, 1, square)) return false;
        if (most > 3 &&
            !fits(how, p.k, 2 * wide_bases, std::ldexp(static_cast<double>(most), wide)))
            return false;
        const bool one_sign = most > 1 && square * k <= holds;
        // 2.5 standard deviations of random numbers of random signs.
        const bool random = most == 1 || (most <= 3 && square * std::sqrt(k) <= holds);
        if (!one_sign && !random) return false;
        a.most = b.most = most;
        a.random_signs = b.random_signs = !one_sign;
        return true;
    };
    constexpr std::array choices = {15, 7, 3, 2, 1};
    if (std::ranges::any_of(choices, try_most)) return;
    a.random_signs = b.random_signs = true;
    while (!fits(how, p.k, a.stride, 1)) ++a.stride;
}

// Whole numbers of 8 bits, all of one sign: pairs of their products exceed 2^15, where some
// instructions saturate.
bool choose_bytes(const core::problem& p, const arithmetic& how, line_rules& a, line_rules& b) {
    if (!is_byte_integer(p.a_type) || !is_byte_integer(p.b_type)) return false;
    const auto most = [](dtype type) { return (std::int64_t{1} << digits_of(type)) - 1; };
    const std::int64_t product = most(p.a_type) * most(p.b_type);
    if (!fits(how, p.k, 1, static_cast<double>(product))) return false;
    a.most = most(p.a_type);
    b.most = most(p.b_type);
    return true;
}

void choose_wide(const core::problem& p, const arithmetic& how, dtype type, line_rules& r,
                 std::int64_t other_most) {
    if (p.k < 8) return;
    const int room = how.sum_digits - log2_up(other_most) - 1;
    const int digits = std::min({wide_digits_of(type), how.operand_digits, room});
    if (digits < 3) return;
    const double largest = std::ldexp(static_cast<double>(other_most), digits);
    std::int64_t stride = 1;
    while (stride < p.k / 2 && !fits(how, p.k, 2 * stride, largest)) ++stride;
    if (!fits(how, p.k, 2 * stride, largest)) return;
    r.wide_digits = digits;
    r.wide_stride = stride;
}

// Neighbouring lines pick k far apart: the golden ratio spreads any run of lines evenly.
std::int64_t step_through(std::int64_t period) {
    auto step = static_cast<std::int64_t>(0.6180339887498949 * static_cast<double>(period));
    step = std::max<std::int64_t>(step, 1);
    while (std::gcd(step, period) != 1) ++step;
    return step;
}

void choose_picks(line_rules& r, int sum_digits) {
    const std::int64_t others = count_of_parity(r.depth, 1 - r.parity);
    r.period = std::max<std::int64_t>(1, std::min(r.lines, others));
    r.picks = std::max<std::int64_t>(1, (others + r.period - 1) / r.period);
    r.picks = std::min(r.picks, std::int64_t{1} << std::min(40, sum_digits - 2));
    r.step = step_through(r.period);
}

// The bits that alpha and beta take from a sum and a C with as many each: both are multiples of one
// power of two.
int digits_of_factors(double alpha, double beta, bool has_bias) {
    if (alpha == 1 && beta == 0 && !has_bias) return 0;
    double unit = 1;
    for (const double x : {alpha, beta})
        while (x / unit != std::floor(x / unit)) unit /= 2;
    const double bias = has_bias ? 1 : 0;
    return log2_up(static_cast<std::int64_t>((std::abs(alpha) + std::abs(beta) + bias) / unit));
}

// If sums take all digits, C has the fewest that are odd and not 1.
constexpr int few_digits = 2;

// Sums: as many as can be added to them. Significands: multiples of the scale of lines.
factors factors_of(const core::problem& p, const arithmetic& how, exact_kind kind,
                   const line_rules& rows, std::uint64_t seed) {
    factors f{.alpha = p.alpha, .beta = p.beta, .seed = seed};
    if (kind == exact_kind::significands) {
        f.digits = few_digits;
        f.multiple = std::ldexp(1.0, 2 * rows.exponents - rows.shift);
        return f;
    }
    const int sums =
        how.promoted_after > 0 && how.total_digits > 0 ? how.total_digits : how.sum_digits;
    f.digits = std::clamp(std::min(sums, digits_of(p.c_type)), 1, 52);
    return f;
}

// Full significands, less the bits that a sum of `picks` of A and of B takes.
void choose_digits(const core::problem& p, const arithmetic& how, int spared, line_rules& a,
                   line_rules& b) {
    const bool integer = how.claim == "integers";
    const int sums =
        std::min(integer ? 31 : how.sum_digits, integer ? 31 : digits_of(p.c_type)) - spared;
    choose_picks(a, how.sum_digits - spared);
    choose_picks(b, how.sum_digits - spared);
    const int left = sums - log2_up(a.picks + b.picks);
    const auto digits = [&](dtype type) {
        return std::clamp(left, 1, std::min(digits_of(type), how.operand_digits));
    };
    a.digits = digits(p.a_type);
    b.digits = digits(p.b_type);
    // A C of few digits at the coarsest scale is of six at the finest.
    const bool has_room = spared == 0 || sums > few_digits + 4;
    a.exponents = b.exponents = integer || !has_room ? 0 : 1;
}

void choose_elements(const core::problem& p, const arithmetic& how, exact_kind kind, int spared,
                     line_rules& rows, line_rules& cols) {
    if (p.m == 0 || p.n == 0 || p.k == 0) return;
    if (kind == exact_kind::significands) return choose_digits(p, how, spared, rows, cols);
    if (!choose_bytes(p, how, rows, cols)) choose_small(p, how, spared, rows, cols);
    choose_wide(p, how, p.a_type, rows, cols.most);
    choose_wide(p, how, p.b_type, cols, rows.most);
}

// The arithmetic with the digits that alpha and beta leave. Significands reserve those themselves.
arithmetic arithmetic_of(std::string_view computes_in, const core::problem& p, int spared) {
    arithmetic how =
        *std::ranges::find(claims, precision_of(computes_in, p).name, &arithmetic::claim);
    (how.total_digits > 0 ? how.total_digits : how.sum_digits) -= spared;
    return how;
}

}  // namespace

// gelu's 2 sqrt(2 / pi) and 0.044715 of it. The slack is some 256 roundings of f32, and of f64 in a
// polynomial for e^x.
void add_epilogue(factors& f, const rows::epilogue& last, const core::problem& p) {
    constexpr double gelu_linear = 1.5957691216057308;
    f.has_bias = last.bias;
    f.bias_seed = f.seed;
    // Libraries take the bias in 16 bits if operands have 8.
    f.bias_digits = is_fp8(p.a_type) ? std::min(f.digits, digits_of(dtype::bf16)) : f.digits;
    f.activation = static_cast<int>(last.f);
    const bool is_gelu = last.f == rows::activation::gelu;
    f.linear = is_gelu ? gelu_linear : 1;
    f.cubic = is_gelu ? 0.044715 * gelu_linear : 0;
    f.slack = p.a_type == dtype::f64 ? 0x1p-44 : 0x1p-16;
    f.rounding = std::ldexp(1.0, -digits_of(p.c_type));
}

std::string reason_against_exact(double alpha, double beta, dtype c_type) {
    const double unit = is_integer(c_type) ? 1 : 0.25;
    const auto fits = [&](double x) {
        return std::abs(x) <= 4 && x / unit == std::floor(x / unit);
    };
    if (fits(alpha) && fits(beta)) return {};
    return "alpha is " + rows::shortest(alpha) + " and beta is " + rows::shortest(beta) +
           ": results are checked exactly with " +
           (unit == 1 ? "whole numbers" : "multiples of 0.25") + " from -4 to 4";
}

exact_pass::exact_pass(const core::problem& p, std::string_view computes_in, exact_kind kind,
                       std::uint64_t seed, int threads, const rows::epilogue& last)
    : problem_(p), kind_(kind), threads_(threads) {
    if (const std::string why = reason_against_exact(p.alpha, p.beta, p.c_type); !why.empty())
        throw error(error_code::unsupported, "verification: " + why);
    const int spared = digits_of_factors(p.alpha, p.beta, last.bias);
    const arithmetic how =
        arithmetic_of(computes_in, p, kind == exact_kind::significands ? 0 : spared);
    const std::uint64_t own = mixed(seed) + static_cast<std::uint64_t>(kind);
    const int parity = static_cast<int>(seed % 2);
    rows_ = {.seed = mixed(own + 16), .lines = p.m, .depth = p.k, .parity = parity};
    cols_ = {.seed = mixed(own + 32), .lines = p.n, .depth = p.k, .parity = 1 - parity};
    rows_.has_signs = p.a_type != dtype::u8;
    cols_.has_signs = p.b_type != dtype::u8;
    choose_elements(p, how, kind, spared, rows_, cols_);
    // Makes numbers lie where an activation is curved.
    if (last.f > rows::activation::relu && kind == exact_kind::significands)
        rows_.shift = std::max(rows_.digits, cols_.digits);
    factors_ = factors_of(p, how, kind, rows_, mixed(own + 48));
    add_epilogue(factors_, last, p);
}

// C too, which the same digits make.
bool exact_pass::same_operands(const exact_pass& other) const {
    const auto same = [](const line_rules& x, const line_rules& y) {
        return x.seed == y.seed && x.most == y.most && x.random_signs == y.random_signs &&
               x.stride == y.stride && x.wide_digits == y.wide_digits &&
               x.wide_stride == y.wide_stride && x.digits == y.digits && x.picks == y.picks &&
               x.exponents == y.exponents && x.shift == y.shift;
    };
    return kind_ == other.kind_ && same(rows_, other.rows_) && same(cols_, other.cols_) &&
           factors_.digits == other.factors_.digits && factors_.multiple == other.factors_.multiple;
}

}  // namespace carat::verify
