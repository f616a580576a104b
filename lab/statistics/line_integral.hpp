// The integral of a smooth bump over the whole real line, by the trapezoidal rule.
//
// For an analytic function that decays on both sides no rule does better (Trefethen and Weideman,
// SIAM Review 56, 2014): the error is the Fourier transform at frequency 1/step, and halving the
// step squares it. The nodes of one grid show the transform at a quarter of that frequency,
//
//   error of step 4h:   |sum f(x_j) i^j| / sum f(x_j) = e   =>   error of step h: about e^4
//
// which unlike the difference of two grids cannot vanish by a lucky phase. Far fewer nodes than
// nested Gauss-Kronrod needs on the same bumps. Internal to the module.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace carat::statistics::detail {

/// Sums of f at centre + j step, by j modulo 4, until terms on either side no longer count.
template <class Function>
std::array<double, 4> sum_by_phase(const Function& f, double centre, double step) {
    constexpr double negligible = 1e-18;
    std::array<double, 4> sums{};
    double total = 0;
    const auto march = [&](double start, double stride, std::size_t phase, std::size_t turn) {
        for (double j = 0;; ++j, phase = (phase + turn) % 4) {
            const double term = f(start + j * stride);
            sums[phase] += term;
            total += term;
            if (term <= negligible * total) return;
        }
    };
    march(centre, step, 0, 1);
    march(centre - step, -step, 3, 3);
    return sums;
}

/// Integral of a non-negative, unimodal, analytic `f`, relative error below 1e-12. `centre` must
/// lie in its bulk (f > 0 there); `step` is the first guess, halved until the error allows.
template <class Function>
double line_integral(const Function& f, double centre, double step) {
    constexpr double quarter_frequency_share = 7e-4;  // its fourth power is 2.4e-13
    constexpr int most_halvings = 10;
    double total = 0;
    for (int halving = 0; halving <= most_halvings; ++halving, step /= 2) {
        const auto sums = sum_by_phase(f, centre, step);
        total = (sums[0] + sums[1] + sums[2] + sums[3]) * step;
        const double aliased = std::hypot(sums[0] - sums[2], sums[1] - sums[3]) * step;
        if (aliased <= quarter_frequency_share * total) break;
    }
    return total;
}

}  // namespace carat::statistics::detail
