// The exact sums of a product and their magnitudes: three plain loops.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <carat/types.hpp>

#include "product_case.hpp"

namespace carat::fuzz {

// How operands count in |A| |B|: fp8 tensor cores go by exponents, and a subnormal number has that
// of the least normal one.
struct least_sizes {
    double a = 0;
    double b = 0;
};

// The sums of A (m x k) and B (k x n), whose values are row-major.
struct product_sums {
    std::size_t n = 0;
    std::vector<long double> sum;   // A B
    std::vector<double> magnitude;  // |A| |B|, infinities and what is not a number taken for 0
    std::vector<double> rows_of_a;  // the sum of each row of |A|
    std::vector<double> cols_of_b;  // the sum of each column of |B|
    double largest_of_a = 0;
    double largest_of_b = 0;
};

[[nodiscard]] product_sums sums_of(const product_size& size, dtype sums, std::span<const double> a,
                                   std::span<const double> b, const least_sizes& least);

// Computes sum and magnitude on a GPU, if a process has one for that and the product is large.
using device_sums = void (*)(const product_size& size, std::span<const double> a,
                             std::span<const double> b, const least_sizes& least, product_sums& to);
inline device_sums sums_on_device = nullptr;

}  // namespace carat::fuzz
