// Error-free steps on single twofold numbers (high + low, never added up).
#pragma once

#include <cmath>

namespace carat::verify {

// (high, low) := alpha (high, low) + beta c, off by about u^2 of the terms.
inline void add_scaled(double alpha, double beta, double c, double& high, double& low) {
    const double p = alpha * high;
    const double p_error = std::fma(alpha, high, -p);
    const double q = beta * c;
    const double q_error = std::fma(beta, c, -q);
    const double s = p + q;
    const double q_seen = s - p;
    const double s_error = (p - (s - q_seen)) + (q - q_seen);
    low = alpha * low + (p_error + q_error) + s_error;
    high = s;
}

}  // namespace carat::verify
