// What the library asks of element types beyond carat/types.hpp, and the one visitor that turns a
// value of dtype into a type of C++. Whoever needs the elements themselves calls visit; whoever
// needs a property asks for it by its name. Nobody tells one from the other by a size.
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

// Products of `type` are summed in it.
[[nodiscard]] constexpr dtype accumulator_of(dtype type) {
    if (is_integer(type)) return dtype::i32;
    return type == dtype::f64 ? dtype::f64 : dtype::f32;
}

// An epilogue computes in it, and its values (bias, scale) are of it, where C is of `type`.
[[nodiscard]] constexpr dtype epilogue_type_of(dtype type) {
    return type == dtype::f64 ? dtype::f64 : dtype::f32;
}

// Whether numbers of `type` are stored narrower than they are summed in.
[[nodiscard]] constexpr bool is_storage_type(dtype type) {
    return accumulator_of(type) != type;
}

// visit for types that are integers.
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

// The largest relative error of rounding to `type`, where it is floating.
[[nodiscard]] constexpr double unit_roundoff(dtype type) {
    return power_of_two(-traits_of(type).significand_bits);
}

// Whole bytes that so many neighbouring elements take.
[[nodiscard]] constexpr std::int64_t bytes_of(dtype type, std::int64_t elements) {
    return (elements * traits_of(type).bits + 7) / 8;
}

// A row for each type.
template <class Entry>
struct per_dtype {
    std::array<Entry, dtype_table.size()> of = {};

    [[nodiscard]] constexpr const Entry& operator[](dtype type) const { return of[index_of(type)]; }
    constexpr Entry& operator[](dtype type) { return of[index_of(type)]; }
};

}  // namespace carat::core
