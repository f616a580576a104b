#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace carat::fuzz {

namespace {

constexpr double huge = std::numeric_limits<double>::max();
constexpr float huge_f32 = std::numeric_limits<float>::max();

// Indexed by carat::dtype.
constexpr std::array formats = {format{53, -1022, huge, false, false, -huge},
                                format{24, -126, huge_f32, false, false, -huge_f32},
                                format{11, -14, 65504, false, false, -65504},
                                format{8, -126, 0x1.fep127, false, false, -0x1.fep127},
                                format{4, -6, 448, false, true, -448},
                                format{3, -14, 57344, false, true, -57344},
                                format{31, 0, 0x1p31 - 1, true, true, -0x1p31},
                                format{7, 0, 127, true, true, -128},
                                format{8, 0, 255, true, true, 0}};

// The number that a format of at most 16 bits encodes as sign, exponent and fraction.
double value_of_bits(dtype type, std::uint32_t bits) {
    const format& f = format_of(type);
    const int fraction_bits = f.digits - 1;
    const int exponent_bits = static_cast<int>(size_bytes(type)) * 8 - f.digits;
    const auto fraction = static_cast<int>(bits & ((1u << fraction_bits) - 1));
    const auto exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
    const double sign = (bits >> (fraction_bits + exponent_bits)) != 0 ? -1 : 1;
    const bool last = exponent == (1 << exponent_bits) - 1;
    if (type == dtype::e4m3 ? last && fraction == 7 : last && fraction != 0)
        return std::numeric_limits<double>::quiet_NaN();
    if (last && type != dtype::e4m3) return sign * std::numeric_limits<double>::infinity();
    const int unit = f.least_exponent - fraction_bits;
    if (exponent == 0) return sign * std::ldexp(fraction, unit);
    return sign * std::ldexp((1 << fraction_bits) + fraction, unit + exponent - 1);
}

using all_of_16_bits = std::array<double, 65536>;

const double* table_of(dtype type) {
    const auto make = [](dtype of) {
        auto* const table = new all_of_16_bits;  // until the end
        const std::size_t count = std::size_t{1} << (8 * size_bytes(of));
        for (std::size_t i = 0; i < count; ++i)
            (*table)[i] = value_of_bits(of, static_cast<std::uint32_t>(i));
        return table->data();
    };
    static const std::array tables = {make(dtype::f16), make(dtype::bf16), make(dtype::e4m3),
                                      make(dtype::e5m2)};
    return tables[index_of(type) - index_of(dtype::f16)];
}

// All values that types of at most 16 bits have.
long double power_of_two(int exponent) {
    constexpr int least = -140;
    static const auto all = [] {
        std::array<long double, 2 * -least> powers{};
        for (int i = 0; i < 2 * -least; ++i)
            powers[static_cast<std::size_t>(i)] = std::ldexp(1.0L, i + least);
        return powers;
    }();
    return all[static_cast<std::size_t>(exponent - least)];
}

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class Read>
void read_line(const std::byte* from, std::ptrdiff_t stride, std::size_t count, double* to,
               const Read& one) {
    for (std::size_t i = 0; i < count; ++i, from += stride) to[i] = static_cast<double>(one(from));
}

// A fast path for ordinary numbers that stay ordinary, as most do.
bool common_pattern(const format& f, double value, std::uint32_t& pattern) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52 & 2047) - 1023;
    if (exponent < f.least_exponent - 1 || !(std::abs(value) <= f.largest)) return false;
    const int grid = std::max(exponent, f.least_exponent) - f.digits + 1;
    const double unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - grid) << 52);
    const double whole = std::abs(value) * unit + 0x1p52;  // rounds to even
    pattern =
        static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(whole)) +
        (static_cast<std::uint32_t>(grid - f.least_exponent + f.digits - 1) << (f.digits - 1));
    return true;
}

}  // namespace

const format& format_of(dtype type) {
    return formats[index_of(type)];
}

double least_subnormal(dtype type) {
    const format& f = format_of(type);
    return f.whole ? 0 : std::ldexp(1.0, f.least_exponent - f.digits + 1);
}

void widen_line(dtype type, const std::byte* from, std::ptrdiff_t stride, std::size_t count,
                double* to) {
    switch (type) {
        case dtype::f64:
            return read_line(from, stride, count, to, read<double>);
        case dtype::f32:
            return read_line(from, stride, count, to, read<float>);
        case dtype::i32:
            return read_line(from, stride, count, to, read<std::int32_t>);
        case dtype::i8:
            return read_line(from, stride, count, to, read<std::int8_t>);
        case dtype::u8:
            return read_line(from, stride, count, to, read<std::uint8_t>);
        case dtype::f16:
        case dtype::bf16: {
            const double* const table = table_of(type);
            return read_line(from, stride, count, to,
                             [&](const std::byte* at) { return table[read<std::uint16_t>(at)]; });
        }
        case dtype::e4m3:
        case dtype::e5m2: {
            const double* const table = table_of(type);
            return read_line(from, stride, count, to,
                             [&](const std::byte* at) { return table[read<std::uint8_t>(at)]; });
        }
    }
}

double widen(dtype type, const std::byte* from) {
    double value = 0;
    widen_line(type, from, 0, 1, &value);
    return value;
}

long double rounded(dtype type, long double value) {
    if (type == dtype::f64) return static_cast<double>(value);
    if (type == dtype::f32) return static_cast<float>(value);
    const format& f = format_of(type);
    if (f.whole) {
        if (std::isnan(value)) return 0;
        return std::clamp<long double>(std::rint(value), f.lowest, f.largest);
    }
    if (value == 0 || std::isnan(value)) return value;
    const auto beyond =
        static_cast<long double>(f.saturates ? f.largest : std::numeric_limits<double>::infinity());
    if (std::isinf(value)) return std::copysign(beyond, value);
    if (std::abs(value) > 2 * static_cast<long double>(f.largest))
        return std::copysign(beyond, value);
    // 2^exponent is above the value, or equal to it if double rounds it up.
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    const int exponent = static_cast<int>(bits >> 52 & 2047) - 1022;
    const int grid = std::max(exponent, f.least_exponent + 1) - f.digits;
    // The sum's last bit is 2^grid.
    const long double all = std::copysign(power_of_two(grid) * 0x1.8p63L, value);
    const long double result = std::copysign(value + all - all, value);
    return std::abs(result) > f.largest ? std::copysign(beyond, result) : result;
}

void store(dtype type, double value, std::byte* to) {
    const auto write = [&](auto element) { std::memcpy(to, &element, sizeof element); };
    switch (type) {
        case dtype::f64:
            return write(value);
        case dtype::f32:
            return write(static_cast<float>(value));
        case dtype::i32:
            return write(static_cast<std::int32_t>(rounded(type, value)));
        case dtype::i8:
            return write(static_cast<std::int8_t>(rounded(type, value)));
        case dtype::u8:
            return write(static_cast<std::uint8_t>(rounded(type, value)));
        default:
            break;
    }
    const format& f = format_of(type);
    const int bits = static_cast<int>(size_bytes(type)) * 8;
    if (std::uint32_t common = 0; common_pattern(f, value, common)) {
        if (std::signbit(value)) common |= 1u << (bits - 1);
        if (bits == 8) return write(static_cast<std::uint8_t>(common));
        return write(static_cast<std::uint16_t>(common));
    }
    // The sign, then fraction and exponent of the nearest value.
    std::uint32_t pattern = 0;
    const auto magnitude = static_cast<double>(std::abs(rounded(type, value)));
    const std::uint32_t exponents = ((1u << (bits - f.digits)) - 1) << (f.digits - 1);
    if (std::isnan(value)) {
        pattern = exponents | ((1u << (f.digits - 1)) - 1);
    } else if (std::isinf(magnitude)) {
        pattern = exponents;
    } else if (magnitude != 0) {
        int exponent = 0;
        static_cast<void>(std::frexp(magnitude, &exponent));
        const int grid = std::max(exponent - f.digits, f.least_exponent - f.digits + 1);
        const auto fraction = static_cast<std::uint32_t>(std::ldexp(magnitude, -grid));
        // The hidden bit adds one to the exponent.
        pattern = fraction + (static_cast<std::uint32_t>(grid - f.least_exponent + f.digits - 1)
                              << (f.digits - 1));
    }
    if (std::signbit(value)) pattern |= 1u << (bits - 1);
    if (bits == 8) return write(static_cast<std::uint8_t>(pattern));
    write(static_cast<std::uint16_t>(pattern));
}

}  // namespace carat::fuzz
