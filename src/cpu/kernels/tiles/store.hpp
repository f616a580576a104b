// From sums to C: C = alpha sums + beta C, rounded once where C is bf16.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/isa/narrow.hpp"
#include "cpu/kernels/tile_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// What elements are summed in.
template <class E>
struct sums_of {
    using type = float;
};
template <>
struct sums_of<std::int8_t> {
    using type = std::uint32_t;  // modulo 2^32
};

template <class T>
struct line_of;

template <>
struct line_of<float> {
    using type = __m512;
    static float factor(double x) { return static_cast<float>(x); }
    static type broadcast(float x) { return _mm512_set1_ps(x); }
    static type load(const float* p) { return _mm512_load_ps(p); }
    static type load(const float* p, __mmask16 m) { return _mm512_maskz_loadu_ps(m, p); }
    static void store(float* p, type v, __mmask16 m) { _mm512_mask_storeu_ps(p, m, v); }
    static type multiply(type x, type y) { return _mm512_mul_ps(x, y); }
    static type multiply_add(type x, type y, type z) { return _mm512_fmadd_ps(x, y, z); }
    static float multiply_add(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
};

template <>
struct line_of<std::uint32_t> {
    using type = __m512i;
    static std::uint32_t factor(double x) {
        return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
    }
    static type broadcast(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
    static type load(const std::uint32_t* p) { return _mm512_load_si512(p); }
    static type load(const std::uint32_t* p, __mmask16 m) { return _mm512_maskz_loadu_epi32(m, p); }
    static void store(std::uint32_t* p, type v, __mmask16 m) { _mm512_mask_storeu_epi32(p, m, v); }
    static type multiply(type x, type y) { return _mm512_mullo_epi32(x, y); }
    static type multiply_add(type x, type y, type z) {
        return _mm512_add_epi32(z, _mm512_mullo_epi32(x, y));
    }
    static std::uint32_t multiply_add(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return x * y + z;
    }
};

inline __mmask16 first_words(int count) {
    return count >= 16 ? __mmask16{0xffff}
                       : static_cast<__mmask16>((1u << (count < 0 ? 0 : count)) - 1u);
}

template <class T>
inline void store_rows(const tile_result& r) {
    using line = line_of<T>;
    const T* sums = reinterpret_cast<const T*>(r.sums);
    T* c = reinterpret_cast<T*>(r.c);
    const std::int64_t row_stride = r.row_stride_bytes / static_cast<std::int64_t>(sizeof(T));
    const auto alpha = line::broadcast(line::factor(r.alpha));
    const auto beta = line::broadcast(line::factor(r.beta));
    const __mmask16 left = first_words(r.cols);
    const __mmask16 right = first_words(r.cols - 16);
    for (int i = 0; i < r.rows; ++i, sums += strip_lines, c += row_stride) {
        auto first = line::load(sums);
        auto second = line::load(sums + 16);
        if (r.beta != 0) {
            first = line::multiply_add(alpha, first, line::multiply(beta, line::load(c, left)));
            second =
                line::multiply_add(alpha, second, line::multiply(beta, line::load(c + 16, right)));
        } else if (r.alpha != 1) {
            first = line::multiply(alpha, first);
            second = line::multiply(alpha, second);
        }
        line::store(c, first, left);
        line::store(c + 16, second, right);
    }
}

// Strides of any kind; the bits of store_rows.
template <class T>
inline void store_elements(const tile_result& r) {
    const T* sums = reinterpret_cast<const T*>(r.sums);
    const T alpha = line_of<T>::factor(r.alpha);
    const T beta = line_of<T>::factor(r.beta);
    for (int i = 0; i < r.rows; ++i)
        for (int j = 0; j < r.cols; ++j) {
            T& place = reinterpret_cast<T*>(r.c + i * r.row_stride_bytes)[j * r.col_stride];
            const T sum = sums[i * strip_lines + j];
            if (beta == 0) {
                place = alpha * sum;
                continue;
            }
            const T added = beta * place;
            place = line_of<T>::multiply_add(alpha, sum, added);
        }
}

// See tile_result in tile_kernel.hpp.
template <class T>
void store(const tile_result& r) {
    if (r.col_stride == 1) return store_rows<T>(r);
    store_elements<T>(r);
}

inline void store_narrow_tile(const tile_result& r) {
    for (int i = 0; i < r.rows; ++i)
        store_sums<float, bf16>(r.cols,
                                reinterpret_cast<const float*>(r.sums + i * sums_line_bytes),
                                static_cast<float>(r.alpha), static_cast<float>(r.beta),
                                r.c + i * r.row_stride_bytes, r.col_stride);
}

}  // namespace carat::cpu_engine::CARAT_ISA
