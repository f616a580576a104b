// Converts f16 and bf16 to and from f32 with branch-free integer arithmetic, so that loops become
// vector code on every instruction set. Values are those of carat::f16 and carat::bf16.
#pragma once

#include <cstdint>
#include <type_traits>

#include <carat/types.hpp>

namespace carat::cpu_engine::CARAT_ISA {

inline std::uint32_t bits_of(float x) {
    return __builtin_bit_cast(std::uint32_t, x);
}
inline float float_of(std::uint32_t bits) {
    return __builtin_bit_cast(float, bits);
}

template <class T>
inline T widen(T x) {
    return x;
}

// Modulo 2^32, like integer sums.
inline std::uint32_t widen(std::int8_t x) {
    return static_cast<std::uint32_t>(x);
}

inline float widen(bf16 x) {
    return float_of(static_cast<std::uint32_t>(x.bits) << 16);
}

// Shifts exponent and fraction into place; one exact product then corrects the bias and normalises
// subnormals. Infinities and NaNs get the largest exponent instead.
inline float widen(f16 x) {
    const std::uint32_t moved = (x.bits & 0x7fffu) << 13;
    const std::uint32_t sign = (x.bits & 0x8000u) << 16;
    const std::uint32_t finite = bits_of(float_of(moved) * 0x1p112f);
    const std::uint32_t special = moved | 0x7f800000u;
    return float_of(sign | ((x.bits & 0x7c00u) == 0x7c00u ? special : finite));
}

// Rounds to nearest, ties to even: adds half of the last kept bit's unit, less one if that bit is
// even.
inline void narrow(float x, bf16& out) {
    const std::uint32_t bits = bits_of(x);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const std::uint32_t nan = (bits >> 16) | 0x40u;
    out.bits = static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

// Normal results as above. Below 2^-14, adding 0.5 leaves the rounded multiple of 2^-24 in the last
// bits of the sum.
inline void narrow(float x, f16& out) {
    const std::uint32_t sign = (bits_of(x) >> 16) & 0x8000u;
    const std::uint32_t bits = bits_of(x) & 0x7fffffffu;
    const std::uint32_t normal = (bits - 0x38000000u + 0xfffu + ((bits >> 13) & 1u)) >> 13;
    const std::uint32_t small = bits_of(float_of(bits) + 0.5f) - 0x3f000000u;
    const std::uint32_t nan = 0x7e00u | ((bits >> 13) & 0x3ffu);
    std::uint32_t result = bits < 0x38800000u ? small : normal;
    result = bits >= 0x47800000u ? 0x7c00u : result;
    result = bits > 0x7f800000u ? nan : result;
    out.bits = static_cast<std::uint16_t>(sign | result);
}

// Rounds to nearest, ties to even, saturates, and turns NaN into 0: adding leaves the rounded
// number in the last bits.
template <class N>
inline void narrow_to_byte(float x, N& out) {
    constexpr bool is_signed = std::is_signed_v<N>;
    constexpr float least = is_signed ? -128 : 0;
    constexpr float most = is_signed ? 127 : 255;
    constexpr float rounder = 0x1.8p23f;
    x = x == x ? x : 0;
    x = x > least ? x : least;
    x = x < most ? x : most;
    out = static_cast<N>(bits_of(x + rounder) - bits_of(rounder));
}
inline void narrow(float x, std::int8_t& out) {
    narrow_to_byte(x, out);
}
inline void narrow(float x, std::uint8_t& out) {
    narrow_to_byte(x, out);
}

template <class T>
inline void narrow(T x, T& out) {
    out = x;
}

// See store_function in kernel.hpp.
template <class T, class N>
void store_sums(std::int64_t count, const T* sums, T alpha, T beta, void* c,
                std::int64_t c_stride) {
    N* out = static_cast<N*>(c);
    if (beta == 0 && c_stride == 1) {
        for (std::int64_t i = 0; i < count; ++i) narrow(alpha * sums[i], out[i]);
    } else if (beta == 0) {
        for (std::int64_t i = 0; i < count; ++i) narrow(alpha * sums[i], out[i * c_stride]);
    } else if (c_stride == 1) {
        for (std::int64_t i = 0; i < count; ++i)
            narrow(alpha * sums[i] + beta * widen(out[i]), out[i]);
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            N& place = out[i * c_stride];
            narrow(alpha * sums[i] + beta * widen(place), place);
        }
    }
}

// The same into bytes, for sums that an epilogue has finished: alpha is 1 and beta 0.
template <class N>
void store_bytes(std::int64_t count, const float* sums, float, float, void* c,
                 std::int64_t c_stride) {
    N* out = static_cast<N*>(c);
    if (c_stride == 1) {
        for (std::int64_t i = 0; i < count; ++i) narrow(sums[i], out[i]);
    } else {
        for (std::int64_t i = 0; i < count; ++i) narrow(sums[i], out[i * c_stride]);
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
