#include "core/problem.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"

namespace carat::core {

std::int64_t checked_product(std::int64_t a, std::int64_t b, const char* what) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        throw error(error_code::overflow, std::string(what) + ": " + std::to_string(a) + " x " +
                                              std::to_string(b) + " does not fit in 64 bits");
    return product;
}

bool rounds_integers(const problem& p) {
    return is_integer(p.a_type) && p.c_type != accumulator_of(p.a_type);
}

std::int64_t checked_bytes(dtype type, std::int64_t elements, const char* what) {
    const int bits = traits_of(type).bits;
    if (bits % 8 == 0) return checked_product(elements, bits / 8, what);
    return checked_product(elements / 8 + (elements % 8 != 0), bits, what);
}

std::int64_t extent_elements(std::int64_t rows, std::int64_t cols, const layout& where) {
    if (rows == 0 || cols == 0) return 0;
    const std::int64_t down = checked_product(rows - 1, where.row_stride, "rows x row stride");
    const std::int64_t across = checked_product(cols - 1, where.col_stride, "cols x col stride");
    std::int64_t extent = 0;
    if (__builtin_add_overflow(down, across, &extent) || __builtin_add_overflow(extent, 1, &extent))
        throw error(error_code::overflow, "matrix extent does not fit in 64 bits");
    return extent;
}

std::string reason_against_factors(const problem& p) {
    // Not floor, for which the drop-in BLAS would need libm.
    const auto whole = [](double x) {
        return std::abs(x) <= 0x1p31 && x == static_cast<double>(static_cast<std::int64_t>(x));
    };
    if (p.c_type != dtype::i32 || (whole(p.alpha) && whole(p.beta))) return {};
    const auto number = [](double value) {  // as short as tells it from all others
        std::array<char, 32> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
        return std::string(text.data(), end);
    };
    return "alpha is " + number(p.alpha) + " and beta is " + number(p.beta) +
           ": for i32 they must be whole numbers of 32 bits";
}

std::string describe(const problem& p) {
    return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " " +
           std::string(name(p.c_type));
}

}  // namespace carat::core
