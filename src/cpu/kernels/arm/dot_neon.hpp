// SDOT and UDOT, and multiply-adds of f16, in 32 registers of 16 bytes. A register of A holds four
// groups, of which an instruction takes one as it is: 16 sums, eight lines of A and two vectors of
// B need ten loads for four groups.
#pragma once

#include <arm_neon.h>

namespace carat::cpu_engine::CARAT_ISA {

struct unit_neon {
    using elements = uint8x16_t;
    static constexpr int bytes = 16;
    static constexpr int most_rows = 8;  // of A at a time
    static constexpr int groups = 4;
    static constexpr bool promotes = false;

    static elements elements_at(const std::byte* at) {
        return vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
    }
};

#if defined(__ARM_FEATURE_DOTPROD)

template <class A, class B>
struct unit : unit_neon {
    using sums = uint32x4_t;
    static constexpr bool moves_a = !std::is_same_v<A, B>;

    static sums zero() { return vdupq_n_u32(0); }
    static sums load(const std::byte* at) {
        return vld1q_u32(reinterpret_cast<const std::uint32_t*>(at));
    }
    static void store(std::byte* at, sums c) { vst1q_u32(reinterpret_cast<std::uint32_t*>(at), c); }
    static sums subtract(sums x, sums y) { return vsubq_u32(x, y); }
    static elements moved(elements a) {
        if constexpr (moves_a) return veorq_u8(a, vdupq_n_u8(128));
        return a;
    }
    // `a` has B's signedness.
    template <int Group>
    static sums add(sums c, elements a, elements b) {
        if constexpr (std::is_unsigned_v<B>) {
            return vdotq_laneq_u32(c, b, a, Group);
        } else {
            return vreinterpretq_u32_s32(vdotq_laneq_s32(
                vreinterpretq_s32_u32(c), vreinterpretq_s8_u8(b), vreinterpretq_s8_u8(a), Group));
        }
    }
};

#endif

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)

// There are no products of pairs: each half of a word has its own f16 sum, of even or of odd k.
// After the products of steps_at_once steps they are added to f32 sums, still separately.
template <>
struct unit<f16, f16> : unit_neon {
    using sums = float16x8_t;
    struct wide_sums {
        float32x4_t low;  // of 2 columns, even and odd in turn
        float32x4_t high;
    };
    static constexpr bool moves_a = false;
    static constexpr bool promotes = true;
    static constexpr int steps_at_once = 2;  // 32 products, as on x86-64

    static sums zero() { return vreinterpretq_f16_u16(vdupq_n_u16(0)); }
    static elements moved(elements a) { return a; }
    static wide_sums wide_zero() { return {vdupq_n_f32(0), vdupq_n_f32(0)}; }
    template <int Group>
    static sums add(sums c, elements a, elements b) {
        const uint32x4_t group = vdupq_laneq_u32(vreinterpretq_u32_u8(a), Group);
        return vfmaq_f16(c, vreinterpretq_f16_u32(group), vreinterpretq_f16_u8(b));
    }
    static void promote(wide_sums& to, sums c) {
        to.low = vaddq_f32(to.low, vcvt_f32_f16(vget_low_f16(c)));
        to.high = vaddq_f32(to.high, vcvt_high_f32_f16(c));
    }
    // Adds even and odd sums, and `before` unless it is null.
    static void store_total(std::byte* at, const wide_sums& of, const std::byte* before) {
        float32x4_t total = vpaddq_f32(of.low, of.high);
        if (before != nullptr)
            total = vaddq_f32(total, vld1q_f32(reinterpret_cast<const float*>(before)));
        vst1q_f32(reinterpret_cast<float*>(at), total);
    }
};

#endif

}  // namespace carat::cpu_engine::CARAT_ISA
