// Converts a problem to a task for the loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/problem.hpp"
#include "cpu/task.hpp"

namespace carat::cpu_engine {

template <class T>
[[nodiscard]] T factor(double value) {
    return static_cast<T>(value);
}
template <>
[[nodiscard]] inline std::uint32_t factor<std::uint32_t>(double value) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

[[nodiscard]] inline source operand(const void* data, dtype type, std::int64_t outer_stride,
                                    std::int64_t k_stride) {
    return {static_cast<const std::byte*>(data), static_cast<std::int64_t>(size_bytes(type)),
            outer_stride, k_stride};
}

// `p` has been transposed; `data` has not.
template <class T>
[[nodiscard]] task<T> make_task(const core::problem& p, bool swapped, const kernel<T>& with,
                                const core::operands& data) {
    const void* const a = swapped ? data.b : data.a;
    const void* const b = swapped ? data.a : data.b;
    bool rounds = false;
    if constexpr (std::is_integral_v<T>) rounds = core::rounds_integers(p);
    return {.with = &with,
            .pack_a = with.pack[p.a_type].a,
            .pack_b = with.pack[p.b_type].b,
            .m = p.m,
            .n = p.n,
            .k = p.k,
            .a = operand(a, p.a_type, p.a_layout.row_stride, p.a_layout.col_stride),
            .b = operand(b, p.b_type, p.b_layout.col_stride, p.b_layout.row_stride),
            .c = static_cast<T*>(data.c),
            .c_row_stride = p.c_layout.row_stride,
            .c_col_stride = p.c_layout.col_stride,
            .alpha = rounds ? T{1} : factor<T>(p.alpha),
            .beta = rounds ? T{0} : factor<T>(p.beta)};
}

}  // namespace carat::cpu_engine
