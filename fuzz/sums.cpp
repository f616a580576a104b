#include "sums.hpp"

#include <algorithm>
#include <cmath>

namespace carat::fuzz {

namespace {

__extension__ typedef __int128 wide_integer;

// Products and sums in T: of f32 and narrower a double holds each product exactly, and is 29 bits
// finer than the sums that are judged; of f64 a long double is 11 bits finer.
template <class T, class Result>
void multiply(const product_size& s, const double* a, const double* b, Result* to) {
    std::vector<T> row(s.n);
    for (std::size_t i = 0; i < s.m; ++i) {
        std::fill(row.begin(), row.end(), T{0});
        for (std::size_t p = 0; p < s.k; ++p) {
            const T x = static_cast<T>(a[i * s.k + p]);
            const double* const line = b + p * s.n;
            for (std::size_t j = 0; j < s.n; ++j) row[j] += x * static_cast<T>(line[j]);
        }
        for (std::size_t j = 0; j < s.n; ++j) to[i * s.n + j] = static_cast<Result>(row[j]);
    }
}

std::vector<double> magnitudes(std::span<const double> of, double least) {
    std::vector<double> result(of.size());
    std::ranges::transform(of, result.begin(), [&](double x) {
        return x == 0 || !std::isfinite(x) ? 0 : std::max(std::abs(x), least);
    });
    return result;
}

double largest_of(const std::vector<double>& of) {
    double largest = 0;
    for (const double x : of) largest = std::max(largest, x);
    return largest;
}

}  // namespace

product_sums sums_of(const product_size& s, dtype sums, std::span<const double> a,
                     std::span<const double> b, const least_sizes& least) {
    product_sums result;
    result.n = s.n;
    result.sum.resize(s.m * s.n);
    result.magnitude.resize(s.m * s.n);
    long double* const to = result.sum.data();
    const std::vector<double> size_a = magnitudes(a, least.a);
    const std::vector<double> size_b = magnitudes(b, least.b);
    const bool on_device = sums_on_device != nullptr && s.m * s.n * s.k > 200'000;
    if (on_device)
        sums_on_device(s, a, b, least, result);
    else if (sums == dtype::f64)
        multiply<long double>(s, a.data(), b.data(), to);
    else if (sums == dtype::i32)
        multiply<wide_integer>(s, a.data(), b.data(), to);
    else
        multiply<double>(s, a.data(), b.data(), to);
    if (!on_device) multiply<double>(s, size_a.data(), size_b.data(), result.magnitude.data());
    result.rows_of_a.assign(s.m, 0);
    result.cols_of_b.assign(s.n, 0);
    for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t p = 0; p < s.k; ++p) result.rows_of_a[i] += size_a[i * s.k + p];
    for (std::size_t p = 0; p < s.k; ++p)
        for (std::size_t j = 0; j < s.n; ++j) result.cols_of_b[j] += size_b[p * s.n + j];
    result.largest_of_a = largest_of(size_a);
    result.largest_of_b = largest_of(size_b);
    return result;
}

}  // namespace carat::fuzz
