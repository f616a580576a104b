// Compares stored entries with what they may be.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "numbers.hpp"
#include "oracle.hpp"

namespace carat::fuzz {

namespace {

// The least error of rounding sums to a narrower C: slightly less than half of the spacing below
// the number.
double least_rounding(dtype c_type, dtype sums, double stored) {
    if (c_type == sums) return 0;
    const format& f = format_of(c_type);
    const auto bits = std::bit_cast<std::uint64_t>(stored);
    const int exponent = std::max(static_cast<int>(bits >> 52 & 2047) - 1023, f.least_exponent);
    const bool is_power = bits << 12 == 0;
    return std::ldexp(is_power ? 0.245 : 0.49, exponent - f.digits + 1);
}

}  // namespace

bool oracle::allows(const expectation& e, double stored) const {
    if (e.excused) return true;
    const bool whole = format_of(c_.c_type).whole;
    if (std::isnan(e.value)) return whole ? stored == 0 : std::isnan(stored);
    if (std::isnan(stored)) return e.may_be_nan;
    if (!std::isfinite(e.value)) return stored == static_cast<double>(rounded(c_.c_type, e.value));
    if (std::abs(stored - e.value) <= e.error && std::isfinite(stored)) return true;
    return rounded(c_.c_type, e.value - e.error) <= stored &&
           stored <= rounded(c_.c_type, e.value + e.error);
}

bool oracle::is_near(std::size_t i, std::size_t j, double stored) const {
    if (!is_plain_ || !std::isfinite(stored)) return false;
    const std::size_t at = i * sums_.n + j;
    const long double e = e_at(i, j);
    const long double alpha = c_.alpha();
    const long double off = std::abs(stored - (alpha * sums_.sum[at] + e));
    if (c_.whole || off == 0 || !std::isfinite(off)) return off == 0;
    const long double total = std::abs(alpha) * sums_.magnitude[at] + std::abs(e);
    return off <= relative_ * total + least_rounding(c_.c_type, c_.sums(), stored);
}

std::string oracle::check(std::span<const double> stored, std::size_t& excused) const {
    for (std::size_t i = 0; i < size_.m; ++i) {
        for (std::size_t j = 0; j < size_.n; ++j) {
            const double is = stored[i * size_.n + j];
            if (is_near(i, j, is)) continue;
            const expectation e = at(i, j);
            excused += e.excused ? 1 : 0;
            if (allows(e, is)) continue;
            char text[200];
            std::snprintf(text, sizeof text,
                          "C(%zu, %zu) of product %zu is %.17g but must be %.17Lg +- %.3Lg", i, j,
                          product_, is, e.value, e.error);
            return text;
        }
    }
    return {};
}

bool oracle::fits() const {
    if (c_.on_gpu) return true;
    if (c_.c_type != dtype::i32) return bound_fits() || !is_byte_integer(c_.a_type);
    for (std::size_t i = 0; i < size_.m; ++i)
        for (std::size_t j = 0; j < size_.n; ++j) {
            const long double value = plain_sum(i, j, e_at(i, j)).value;
            if (value < -0x1p31L || value > 0x1p31L - 1) return false;
        }
    return true;
}

bool oracle::bound_fits() const {
    if (size_.m == 0 || size_.n == 0) return true;
    const long double sums = static_cast<long double>(sums_.largest_of_a) * sums_.largest_of_b *
                             static_cast<long double>(size_.k);
    if (c_.c_type != dtype::i32) return sums <= 0x1p31L - 1;
    long double largest_e = 0;
    for (std::size_t i = 0; i < size_.m; ++i)
        for (std::size_t j = 0; j < size_.n; ++j)
            largest_e = std::max(largest_e, std::abs(e_at(i, j)));
    return std::abs(c_.alpha()) * sums + largest_e <= 0x1p31L - 1;
}

}  // namespace carat::fuzz
