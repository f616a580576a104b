// See studentized_range.hpp for the double integral. Both integrals run over the whole real line
// (the outer one in u = log s), where the trapezoidal rule converges geometrically.
#include "lab/statistics/studentized_range.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "lab/statistics/check.hpp"
#include "lab/statistics/line_integral.hpp"

namespace carat::statistics {

namespace {

constexpr double inv_sqrt_2pi = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;

double normal_below(double z) {
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

// R(w): upper tail of the range of k standard normals.
class range_tail {
  public:
    explicit range_tail(std::size_t k)
        : k_(static_cast<double>(k)),
          typical_maximum_(quantile(boost::math::normal(), std::exp2(-1 / k_))),
          step_(0.25 / std::sqrt(std::log(k_))) {}

    double operator()(double w) const {
        // 1 - R(w) <= k (w phi(0))^(k-1): below rounding, which spares the long way to s = 0.
        if (k_ * std::pow(w * inv_sqrt_2pi, k_ - 1) < 1e-18) return 1;
        const auto density = [this, w](double z) {
            const double below_maximum = normal_below(z);
            if (below_maximum == 0) return 0.0;
            const double ratio = std::min(1.0, normal_below(z - w) / below_maximum);
            const double some_below = -std::expm1((k_ - 1) * std::log1p(-ratio));
            return std::exp(-0.5 * z * z) * std::pow(below_maximum, k_ - 1) * some_below;
        };
        // The bulk: a wide range puts the extremes at -w/2 and w/2, a narrow one says nothing.
        const double centre = std::max(0.5 * w, typical_maximum_);
        return k_ * inv_sqrt_2pi * detail::line_integral(density, centre, step_);
    }

  private:
    double k_, typical_maximum_, step_;
};

// x - log(1 + x) for x > -1, without cancellation near 0.
double excess_over_log(double x) {
    return std::abs(x) < 0.5 ? -boost::math::log1pmx(x) : x - std::log1p(x);
}

// Density of u = log s, s^2 = chi-square(df)/df: norm * exp(-a (x - log(1 + x))), x = e^(2u) - 1.
class log_scale_density {
  public:
    explicit log_scale_density(double df)
        : half_df_(df / 2), norm_(df * boost::math::gamma_p_derivative(half_df_, half_df_)) {}

    double operator()(double u) const {
        const double x = std::expm1(2 * u);
        const double excess = x > -0.5 ? excess_over_log(x) : x - 2 * u;
        return norm_ * std::exp(-half_df_ * excess);
    }

  private:
    double half_df_, norm_;
};

void check_family(std::size_t k, double df) {
    detail::require(k >= 2, "k is {}: a range needs at least 2 means", k);
    detail::require(df > 0, "df is {:g}: give a positive number", df);
}

}  // namespace

double studentized_range_tail(double q, std::size_t k, double df) {
    check_family(k, df);
    detail::require(q >= 0, "q is {:g}: give 0 or more", q);
    if (q == 0) return 1;
    if (std::isinf(q)) return 0;
    const range_tail tail(k);
    if (std::isinf(df)) return std::min(1.0, tail(q));
    const log_scale_density density(df);
    const auto integrand = [&](double u) {
        const double weight = density(u);
        return weight > 0 ? weight * tail(q * std::exp(u)) : 0;
    };
    // Where R(w) falls as e^(-w^2/4) the integrand peaks here, 1/sqrt(2 df) wide.
    const double peak = -0.5 * std::log1p(0.5 * q * q / df);
    const double step = std::min(0.35 / std::sqrt(df), 0.1);
    return std::min(1.0, detail::line_integral(integrand, peak, step));
}

double studentized_range_quantile(double tail, std::size_t k, double df) {
    check_family(k, df);
    detail::require_open_unit(tail, "tail");
    const auto excess = [=](double q) { return std::log(studentized_range_tail(q, k, df) / tail); };
    const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-11 * std::abs(b); };
    // Bonferroni's bound over all pairs is never below the answer and rarely far above it.
    const double pairs = 0.5 * static_cast<double>(k) * static_cast<double>(k - 1);
    const boost::math::students_t t(df);
    const double bound = std::numbers::sqrt2 * quantile(complement(t, tail / (2 * pairs)));
    std::uintmax_t evaluations = 200;
    const auto bracket =
        boost::math::tools::bracket_and_solve_root(excess, bound, 1.1, false, close, evaluations);
    return std::midpoint(bracket.first, bracket.second);
}

}  // namespace carat::statistics
