// What the library needs to know of element types beyond carat/types.hpp, and the one visitor that
// turns a dtype into a C++ type. Use visit for the elements themselves, and a named property
// otherwise; never tell types apart by size.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include <carat/types.hpp>

namespace carat::core {

template <class T>
struct element_tag {
    using type = T;
};

/// f(element_tag<T>{}) for the T whose dtype is `type`.
template <class F>
constexpr decltype(auto) visit(dtype type, F&& f) {
    switch (type) {
        case dtype::f64:
            return f(element_tag<double>{});
        case dtype::f32:
            return f(element_tag<float>{});
        case dtype::f16:
            return f(element_tag<f16>{});
        case dtype::bf16:
            return f(element_tag<bf16>{});
        case dtype::e4m3:
            return f(element_tag<e4m3>{});
        case dtype::e5m2:
            return f(element_tag<e5m2>{});
        case dtype::i32:
            return f(element_tag<std::int32_t>{});
        case dtype::i8:
            return f(element_tag<std::int8_t>{});
        case dtype::u8:
            return f(element_tag<std::uint8_t>{});
    }
    std::abort();
}

// The type in which products of `type` are summed.
[[nodiscard]] constexpr dtype accumulator_of(dtype type) {
    if (is_integer(type)) return dtype::i32;
    return type == dtype::f64 ? dtype::f64 : dtype::f32;
}

// The type in which an epilogue for a C of `type` computes, and of its values (bias, scale).
[[nodiscard]] constexpr dtype epilogue_type_of(dtype type) {
    return type == dtype::f64 ? dtype::f64 : dtype::f32;
}

// Whether numbers of `type` are stored narrower than they are summed.
[[nodiscard]] constexpr bool is_storage_type(dtype type) {
    return accumulator_of(type) != type;
}

// Visits integer types only.
template <class F>
constexpr decltype(auto) visit_integers(dtype type, F&& f) {
    switch (type) {
        case dtype::i8:
            return f(element_tag<std::int8_t>{});
        case dtype::u8:
            return f(element_tag<std::uint8_t>{});
        default:
            return f(element_tag<std::int32_t>{});
    }
}

[[nodiscard]] constexpr double power_of_two(int exponent) {
    double power = 1;
    for (; exponent > 0; --exponent) power *= 2;
    for (; exponent < 0; ++exponent) power /= 2;
    return power;
}

// The largest relative error of rounding to a floating `type`.
[[nodiscard]] constexpr double unit_roundoff(dtype type) {
    return power_of_two(-traits_of(type).significand_bits);
}

// The bytes that `count` adjacent elements take, rounded up.
[[nodiscard]] constexpr std::int64_t bytes_of(dtype type, std::int64_t elements) {
    return (elements * traits_of(type).bits + 7) / 8;
}

// One row for each type.
template <class Entry>
struct per_dtype {
    std::array<Entry, dtype_table.size()> of = {};

    [[nodiscard]] constexpr const Entry& operator[](dtype type) const { return of[index_of(type)]; }
    constexpr Entry& operator[](dtype type) { return of[index_of(type)]; }
};

}  // namespace carat::core
