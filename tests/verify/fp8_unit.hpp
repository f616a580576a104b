// How a Hopper tensor core adds up products of fp8, bit for bit (docs/adr/0068): 32 products and
// the sum before them at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <carat/types.hpp>

namespace carat::test {

inline constexpr std::int64_t fp8_step = 32;
inline constexpr std::int64_t fp8_block = 128;  // products that are summed so before f32 adds them

inline double cut_below(double value, int exponent) {
    return std::ldexp(std::trunc(std::ldexp(value, 13 - exponent)), exponent - 13);
}

// A subnormal number has the exponent of the least normal one.
template <class T>
int exponent_of(T x) {
    return std::max(std::ilogb(double{x}), std::is_same_v<T, e4m3> ? -6 : -14);
}

// Its exponent is the sum of its operands' exponents, also where its value is twice as large or,
// with a subnormal operand, smaller.
struct fp8_product {
    double value = 0;
    int exponent = std::numeric_limits<int>::min();  // a zero has none
};

template <class A, class B>
fp8_product fp8_product_of(A a, B b) {
    const double value = double{a} * double{b};
    if (value == 0) return {};
    return {value, exponent_of(a) + exponent_of(b)};
}

// Each term is truncated to 13 bits below the largest exponent, and their sum to 14 significant
// bits.
inline double add_fp8_step(double sum, std::span<const fp8_product> products) {
    constexpr int none = std::numeric_limits<int>::min();
    int exponent = sum == 0 ? none : std::ilogb(sum);
    for (const fp8_product& p : products) exponent = std::max(exponent, p.exponent);
    if (exponent == none) return 0;
    double total = cut_below(sum, exponent);
    for (const fp8_product& p : products) total += cut_below(p.value, exponent);
    return total == 0 ? 0 : cut_below(total, std::ilogb(total));
}

// `product(k)` is the k-th. `skipped`: a step left out by mistake, which begins there.
template <class Product>
float fp8_sum(std::int64_t k, bool promoted, const Product& product, std::int64_t skipped = -1) {
    float total = 0;
    double sum = 0;
    for (std::int64_t k0 = 0; k0 < k; k0 += fp8_step) {
        std::array<fp8_product, fp8_step> products{};
        for (std::int64_t q = 0; q < fp8_step && k0 + q < k; ++q)
            products[static_cast<std::size_t>(q)] = product(k0 + q);
        if (k0 != skipped) sum = add_fp8_step(sum, products);
        if (!promoted || (k0 + fp8_step) % fp8_block != 0) continue;
        total += static_cast<float>(sum);
        sum = 0;
    }
    return total + static_cast<float>(sum);
}

}  // namespace carat::test
