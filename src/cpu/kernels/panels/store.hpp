// Stores sums to C = alpha sums + beta C, rounded once if C is narrower.
#pragma once

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/vector/convert.hpp"
#include "cpu/kernels/vector/registers.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline float factor_of(double x, float) {
    return static_cast<float>(x);
}
inline std::uint32_t factor_of(double x, std::uint32_t) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
}

inline float multiply_add(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
inline std::uint32_t multiply_add(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return x * y + z;
}

template <class T>
inline void store_rows(const matrix_unit_result& r) {
    using vec = vector<T>;
    const T* sums = reinterpret_cast<const T*>(r.sums);
    T* c = reinterpret_cast<T*>(r.c);
    const std::int64_t row_stride = r.row_stride_bytes / static_cast<std::int64_t>(sizeof(T));
    const auto alpha = vec::broadcast(factor_of(r.alpha, T{}));
    const auto beta = vec::broadcast(factor_of(r.beta, T{}));
    const int whole = r.cols / vec::lanes * vec::lanes;
    const auto edge = vec::first(r.cols - whole);
    const auto finished = [&](typename vec::type x, const auto& load) {
        if (r.beta != 0) return vec::multiply_add(alpha, x, vec::multiply(beta, load()));
        return r.alpha != 1 ? vec::multiply(alpha, x) : x;
    };
    for (int i = 0; i < r.rows; ++i, sums += micropanel_extent, c += row_stride) {
        for (int j = 0; j < whole; j += vec::lanes)
            vec::store(c + j, finished(vec::load(sums + j), [&] { return vec::load(c + j); }));
        if (whole == r.cols) continue;
        const auto of_c = [&] { return vec::load(c + whole, edge); };
        vec::store(c + whole, finished(vec::load(sums + whole), of_c), edge);
    }
}

// Takes any strides; stores the bits of store_rows.
template <class T>
inline void store_elements(const matrix_unit_result& r) {
    const T* sums = reinterpret_cast<const T*>(r.sums);
    const T alpha = factor_of(r.alpha, T{});
    const T beta = factor_of(r.beta, T{});
    for (int i = 0; i < r.rows; ++i)
        for (int j = 0; j < r.cols; ++j) {
            T& place = reinterpret_cast<T*>(r.c + i * r.row_stride_bytes)[j * r.col_stride];
            const T sum = sums[i * micropanel_extent + j];
            place = beta == 0 ? alpha * sum : multiply_add(alpha, sum, beta * place);
        }
}

// See matrix_unit_result in matrix_unit_kernel.hpp.
template <class T>
void store(const matrix_unit_result& r) {
    if (r.col_stride == 1) return store_rows<T>(r);
    store_elements<T>(r);
}

// Stores row by row with a store_function of kernel.hpp.
template <auto Store>
void store_by_rows(const matrix_unit_result& r) {
    for (int i = 0; i < r.rows; ++i)
        Store(r.cols, reinterpret_cast<const float*>(r.sums + i * sums_row_bytes),
              static_cast<float>(r.alpha), static_cast<float>(r.beta), r.c + i * r.row_stride_bytes,
              r.col_stride);
}

inline constexpr core::per_dtype<store_sums_function> all_stores = [] {
    core::per_dtype<store_sums_function> made;
    made[dtype::f32] = &store<float>;
    made[dtype::f16] = &store_by_rows<&store_sums<float, f16>>;
    made[dtype::bf16] = &store_by_rows<&store_sums<float, bf16>>;
    made[dtype::i32] = &store<std::uint32_t>;
    made[dtype::i8] = &store_by_rows<&store_bytes<std::int8_t>>;
    made[dtype::u8] = &store_by_rows<&store_bytes<std::uint8_t>>;
    return made;
}();

}  // namespace carat::cpu_engine::CARAT_ISA
