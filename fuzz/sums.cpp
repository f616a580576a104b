#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace carat::fuzz {

namespace {

__extension__ typedef __int128 wide_integer;

// A copy for each vector unit; the program chooses one when it starts.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CARAT_FUZZ_CLONES \
    __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CARAT_FUZZ_CLONES
#endif

// A double holds each product of f32 and narrower types exactly, and is 29 bits finer than the
// judged sums; whole numbers are exact below 2^53.
CARAT_FUZZ_CLONES
void multiply_doubles(const product_size& s, const double* a, const double* b, double* to) {
    std::fill_n(to, s.m * s.n, 0.0);
    for (std::size_t i = 0; i < s.m; ++i, to += s.n)
        for (std::size_t p = 0; p < s.k; ++p) {
            const double x = a[i * s.k + p];
            const double* const line = b + p * s.n;
            for (std::size_t j = 0; j < s.n; ++j) to[j] += x * line[j];
        }
}

// Some adjacent sums of a line in two doubles each (Ogita, Rump and Oishi, as in gpu/naive.cu),
// which stay in registers.
template <std::size_t Count>
[[gnu::always_inline]] inline void sum_in_two(const product_size& s, const double* a,
                                              const double* b, long double* to) {
    double high[Count] = {};
    double low[Count] = {};
    for (std::size_t p = 0; p < s.k; ++p, b += s.n)
        for (std::size_t j = 0; j < Count; ++j) {
            const double product = a[p] * b[j];
            const double rest = __builtin_fma(a[p], b[j], -product);
            const double next = high[j] + product;
            const double back = next - high[j];
            low[j] += (high[j] - (next - back)) + (product - back) + rest;
            high[j] = next;
        }
    // An infinite sum loses nothing.
    for (std::size_t j = 0; j < Count; ++j)
        to[j] = std::isfinite(low[j]) ? static_cast<long double>(high[j]) + low[j] : high[j];
}

CARAT_FUZZ_CLONES
void multiply_in_two(const product_size& s, const double* a, const double* b, long double* to) {
    for (std::size_t i = 0; i < s.m; ++i, a += s.k, to += s.n) {
        std::size_t j = 0;
        for (; j + 16 <= s.n; j += 16) sum_in_two<16>(s, a, b + j, to + j);
        for (; j + 4 <= s.n; j += 4) sum_in_two<4>(s, a, b + j, to + j);
        for (; j < s.n; ++j) sum_in_two<1>(s, a, b + j, to + j);
    }
}

void multiply_integers(const product_size& s, const double* a, const double* b, long double* to) {
    const std::vector<std::int64_t> whole_b(b, b + s.k * s.n);
    std::vector<wide_integer> row(s.n);
    for (std::size_t i = 0; i < s.m; ++i, to += s.n) {
        std::ranges::fill(row, 0);
        for (std::size_t p = 0; p < s.k; ++p) {
            const auto x = static_cast<std::int64_t>(a[i * s.k + p]);
            for (std::size_t j = 0; j < s.n; ++j)
                row[j] += static_cast<wide_integer>(x) * whole_b[p * s.n + j];
        }
        for (std::size_t j = 0; j < s.n; ++j) to[j] = static_cast<long double>(row[j]);
    }
}

void multiply(const product_size& s, dtype sums, const double* a, const double* b,
              const product_sums& of, long double* to) {
    const double most = of.largest_of_a * of.largest_of_b * static_cast<double>(s.k);
    if (sums == dtype::i32 && most > 0x1p53) return multiply_integers(s, a, b, to);
    if (sums == dtype::f64) return multiply_in_two(s, a, b, to);
    std::vector<double> all(s.m * s.n);
    multiply_doubles(s, a, b, all.data());
    std::ranges::copy(all, to);
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
    const std::vector<double> size_a = magnitudes(a, least.a);
    const std::vector<double> size_b = magnitudes(b, least.b);
    result.largest_of_a = largest_of(size_a);
    result.largest_of_b = largest_of(size_b);
    if (sums_on_device != nullptr && s.m * s.n * s.k > 400'000) {
        sums_on_device(s, a, b, least, result);
    } else {
        multiply(s, sums, a.data(), b.data(), result, result.sum.data());
        multiply_doubles(s, size_a.data(), size_b.data(), result.magnitude.data());
    }
    result.rows_of_a.assign(s.m, 0);
    result.cols_of_b.assign(s.n, 0);
    for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t p = 0; p < s.k; ++p) result.rows_of_a[i] += size_a[i * s.k + p];
    for (std::size_t p = 0; p < s.k; ++p)
        for (std::size_t j = 0; j < s.n; ++j) result.cols_of_b[j] += size_b[p * s.n + j];
    return result;
}

}  // namespace carat::fuzz
