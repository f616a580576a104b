// Element types. f16 (IEEE binary16), bf16 and two of 8 bits (OCP 8-bit Floating Point
// Specification 1.0) are storage types: they convert, correctly rounded (nearest, ties to even, in
// one rounding from float or double), and have no arithmetic.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace carat {

namespace detail {

// Whether a format's last exponent means infinities and NaNs, as in IEEE 754, or numbers, with only
// all ones being NaN.
enum class last_exponent : std::uint8_t { special, numbers };

// Rounds a double to the nearest value of a binary format with the given exponent and mantissa
// widths (at most 11 and 52 bits), ties to even, and returns its bits. Overflow gives infinity, or
// NaN where there is none; underflow gradual subnormals; a NaN stays a quiet NaN with its sign and
// leading payload.
template <int ExponentBits, int MantissaBits, last_exponent Last = last_exponent::special>
constexpr std::uint32_t round_to_format(double value) {
    constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    constexpr bool special = Last == last_exponent::special;
    constexpr std::uint32_t all_ones = (1u << (ExponentBits + MantissaBits)) - 1u;
    constexpr std::uint32_t infinity =
        special ? ((1u << ExponentBits) - 1u) << MantissaBits : all_ones;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << (ExponentBits + MantissaBits);
    const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);

    if (exponent == 0x7ff) {
        if (fraction == 0) return sign | infinity;
        const auto payload = static_cast<std::uint32_t>(fraction >> (52 - MantissaBits));
        return sign | infinity | (1u << (MantissaBits - 1)) | payload;
    }
    const int target = exponent - 1023 + bias;  // biased exponent in the narrow format
    if (target >= (1 << ExponentBits) - (special ? 1 : 0)) return sign | infinity;
    // The significand, hidden bit included, is shifted once more per step below normal numbers.
    const int shift = 52 - MantissaBits + (target > 0 ? 0 : 1 - target);
    if (exponent == 0 || shift > 54) return sign;
    const std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
    const std::uint64_t kept = significand >> shift;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const bool up = rest > half || (rest == half && (kept & 1) != 0);
    // A carry out of the mantissa goes into the exponent, up to infinity, as it should, or beyond
    // the NaN that replaces it.
    const std::uint64_t hidden = std::uint64_t{1} << MantissaBits;
    const std::uint64_t base =
        target > 0 ? (static_cast<std::uint64_t>(target) << MantissaBits) + (kept - hidden) : kept;
    const auto rounded = static_cast<std::uint32_t>(base + (up ? 1 : 0));
    return sign | (rounded < infinity ? rounded : infinity);
}

// The same, but overflow gives the largest finite number; NaNs stay.
template <int ExponentBits, int MantissaBits, last_exponent Last = last_exponent::special>
constexpr std::uint32_t saturate_to_format(double value) {
    constexpr std::uint32_t overflow =
        round_to_format<ExponentBits, MantissaBits, Last>(std::numeric_limits<double>::infinity());
    const std::uint32_t bits = round_to_format<ExponentBits, MantissaBits, Last>(value);
    const bool number = value == value;
    const bool overflowed = (bits & ((1u << (ExponentBits + MantissaBits)) - 1u)) == overflow;
    return number && overflowed ? bits - 1 : bits;
}

// The exact value of such a format as a double.
template <int ExponentBits, int MantissaBits, last_exponent Last = last_exponent::special>
constexpr double widen_from_format(std::uint32_t bits) {
    constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    const std::uint64_t sign = static_cast<std::uint64_t>(bits >> (ExponentBits + MantissaBits))
                               << 63;
    const auto exponent = static_cast<int>((bits >> MantissaBits) & ((1u << ExponentBits) - 1u));
    const std::uint64_t fraction = bits & ((1u << MantissaBits) - 1u);
    const std::uint64_t wide = fraction << (52 - MantissaBits);
    const bool ones = fraction == (1u << MantissaBits) - 1u;
    if (exponent == (1 << ExponentBits) - 1 && (Last == last_exponent::special || ones)) {
        const std::uint64_t quiet = fraction == 0 ? 0 : std::uint64_t{1} << 51;
        return std::bit_cast<double>(sign | (std::uint64_t{0x7ff} << 52) | quiet | wide);
    }
    if (exponent != 0) {
        const auto biased = static_cast<std::uint64_t>(exponent - bias + 1023);
        return std::bit_cast<double>(sign | (biased << 52) | wide);
    }
    // Subnormal: fraction x 2^(1 - bias - MantissaBits), exact in double.
    const auto unit = static_cast<std::uint64_t>(1 - bias - MantissaBits + 1023) << 52;
    const double magnitude = static_cast<double>(fraction) * std::bit_cast<double>(unit);
    return sign != 0 ? -magnitude : magnitude;
}

}  // namespace detail

struct f16 {
    std::uint16_t bits = 0;

    constexpr f16() = default;
    constexpr explicit f16(double value)
        : bits(static_cast<std::uint16_t>(detail::round_to_format<5, 10>(value))) {}
    constexpr explicit operator double() const { return detail::widen_from_format<5, 10>(bits); }
    constexpr explicit operator float() const { return static_cast<float>(double{*this}); }
};

struct bf16 {
    std::uint16_t bits = 0;

    constexpr bf16() = default;
    constexpr explicit bf16(double value)
        : bits(static_cast<std::uint16_t>(detail::round_to_format<8, 7>(value))) {}
    constexpr explicit operator double() const { return detail::widen_from_format<8, 7>(bits); }
    constexpr explicit operator float() const {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    }
};

// 4 bits of exponent, 3 of mantissa: up to 448, no infinities; overflow becomes NaN.
struct e4m3 {
    std::uint8_t bits = 0;

    constexpr e4m3() = default;
    constexpr explicit e4m3(double value)
        : bits(static_cast<std::uint8_t>(
              detail::round_to_format<4, 3, detail::last_exponent::numbers>(value))) {}
    // Overflow and infinities become +-448: the specification's saturating conversion.
    static constexpr e4m3 saturated(double value) {
        e4m3 result;
        result.bits = static_cast<std::uint8_t>(
            detail::saturate_to_format<4, 3, detail::last_exponent::numbers>(value));
        return result;
    }
    constexpr explicit operator double() const {
        return detail::widen_from_format<4, 3, detail::last_exponent::numbers>(bits);
    }
    constexpr explicit operator float() const { return static_cast<float>(double{*this}); }
};

// 5 bits of exponent, 2 of mantissa: up to 57344, with infinities and NaNs as in IEEE 754.
struct e5m2 {
    std::uint8_t bits = 0;

    constexpr e5m2() = default;
    constexpr explicit e5m2(double value)
        : bits(static_cast<std::uint8_t>(detail::round_to_format<5, 2>(value))) {}
    // Overflow and infinities become +-57344.
    static constexpr e5m2 saturated(double value) {
        e5m2 result;
        result.bits = static_cast<std::uint8_t>(detail::saturate_to_format<5, 2>(value));
        return result;
    }
    constexpr explicit operator double() const { return detail::widen_from_format<5, 2>(bits); }
    constexpr explicit operator float() const { return static_cast<float>(double{*this}); }
};

// The element types of the catalogue, results and command line, in the order in which they are
// listed. tf32 is a way to compute with f32 data, not a type of data, so it is not here.
enum class dtype : std::uint8_t { f64, f32, f16, bf16, e4m3, e5m2, i32, i8, u8 };

enum class number_class : std::uint8_t { floating, integer };

// The properties of a type. Infer nothing else from its size: types of one size differ in all of
// these, and an element may be less than a byte.
struct dtype_traits {
    dtype type;
    std::string_view name;
    int bits;
    number_class numbers;
    int significand_bits;  // with the hidden one; of integers, those of the magnitude
    int least_exponent;    // floating: 2^least_exponent is the least normal number
    double lowest;         // finite
    double largest;
};

// One row for each type, in the order of the enumeration.
inline constexpr std::array dtype_table = {
    dtype_traits{dtype::f64, "f64", 64, number_class::floating, 53, -1022,
                 std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()},
    dtype_traits{dtype::f32, "f32", 32, number_class::floating, 24, -126,
                 std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()},
    dtype_traits{dtype::f16, "f16", 16, number_class::floating, 11, -14, -65504, 65504},
    dtype_traits{dtype::bf16, "bf16", 16, number_class::floating, 8, -126, -0x1.fep127, 0x1.fep127},
    dtype_traits{dtype::e4m3, "e4m3", 8, number_class::floating, 4, -6, -448, 448},
    dtype_traits{dtype::e5m2, "e5m2", 8, number_class::floating, 3, -14, -57344, 57344},
    dtype_traits{dtype::i32, "i32", 32, number_class::integer, 31, 0, -0x1p31, 0x1p31 - 1},
    dtype_traits{dtype::i8, "i8", 8, number_class::integer, 7, 0, -128, 127},
    dtype_traits{dtype::u8, "u8", 8, number_class::integer, 8, 0, 0, 255}};

// The index of a type in tables with a row for each.
[[nodiscard]] constexpr std::size_t index_of(dtype type) {
    return static_cast<std::size_t>(type);
}
[[nodiscard]] constexpr const dtype_traits& traits_of(dtype type) {
    return dtype_table[index_of(type)];
}

inline constexpr auto all_dtypes = [] {
    std::array<dtype, dtype_table.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = dtype_table[i].type;
    return all;
}();
static_assert([] {
    for (std::size_t i = 0; i < all_dtypes.size(); ++i)
        if (all_dtypes[i] != static_cast<dtype>(i)) return false;
    return true;
}());

[[nodiscard]] constexpr std::string_view name(dtype type) {
    return traits_of(type).name;
}
[[nodiscard]] constexpr bool is_floating(dtype type) {
    return traits_of(type).numbers == number_class::floating;
}
[[nodiscard]] constexpr bool is_integer(dtype type) {
    return traits_of(type).numbers == number_class::integer;
}
[[nodiscard]] constexpr bool is_half(dtype type) {
    return is_floating(type) && traits_of(type).bits == 16;
}
[[nodiscard]] constexpr bool is_fp8(dtype type) {
    return is_floating(type) && traits_of(type).bits == 8;
}
[[nodiscard]] constexpr bool is_byte_integer(dtype type) {
    return is_integer(type) && traits_of(type).bits == 8;
}

// Defined for elements of whole bytes.
[[nodiscard]] constexpr std::size_t size_bytes(dtype type) {
    return static_cast<std::size_t>(traits_of(type).bits) / 8;
}

template <class T>
struct dtype_of;  // left undefined: using another type fails to compile
template <>
struct dtype_of<double> {
    static constexpr dtype value = dtype::f64;
};
template <>
struct dtype_of<float> {
    static constexpr dtype value = dtype::f32;
};
template <>
struct dtype_of<f16> {
    static constexpr dtype value = dtype::f16;
};
template <>
struct dtype_of<bf16> {
    static constexpr dtype value = dtype::bf16;
};
template <>
struct dtype_of<e4m3> {
    static constexpr dtype value = dtype::e4m3;
};
template <>
struct dtype_of<e5m2> {
    static constexpr dtype value = dtype::e5m2;
};
template <>
struct dtype_of<std::int32_t> {
    static constexpr dtype value = dtype::i32;
};
template <>
struct dtype_of<std::int8_t> {
    static constexpr dtype value = dtype::i8;
};

template <>
struct dtype_of<std::uint8_t> {
    static constexpr dtype value = dtype::u8;
};

template <class T>
inline constexpr dtype dtype_of_v = dtype_of<T>::value;

template <class T>
concept element = requires {
    dtype_of<T>::value;
};

}  // namespace carat
