// A thread's floating-point mode (rounding, subnormals as zeros) and the exceptions it has met. A
// call's pieces run on several threads as if on the caller's: they take its mode and return the
// flags they raised. Exceptions do not trap on workers, which the program does not know; the caller
// traps once all pieces are done.
#pragma once

#include <cfenv>
#include <cstdint>
#include <limits>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace carat::core {

#if defined(__x86_64__)

// Only MXCSR: <cfenv> also saves and restores the x87 unit, which takes some 50 ns.
using float_mode = std::uint32_t;
using float_flags = std::uint32_t;
inline constexpr float_flags all_float_flags = 0x3f;
inline constexpr int bits_from_flags_to_masks = 7;

namespace flag {
inline constexpr float_flags invalid = _MM_EXCEPT_INVALID, subnormal = _MM_EXCEPT_DENORM,
                             division = _MM_EXCEPT_DIV_ZERO, overflow = _MM_EXCEPT_OVERFLOW,
                             underflow = _MM_EXCEPT_UNDERFLOW, inexact = _MM_EXCEPT_INEXACT;
}

inline float_mode float_mode_here() {
    return _mm_getcsr();
}
// Clears all flags and masks all traps.
inline void enter(float_mode mode) {
    _mm_setcsr((mode & ~all_float_flags) | all_float_flags << bits_from_flags_to_masks);
}
// Restores the mode with its flags and traps.
inline void restore(float_mode mode) {
    _mm_setcsr(mode);
}
inline float_flags float_flags_here() {
    return _mm_getcsr() & all_float_flags;
}
inline void set_flags(float_flags flags) {
    _mm_setcsr(_mm_getcsr() | flags);
}
// The exceptions that do not trap.
inline float_flags masked_here() {
    return _mm_getcsr() >> bits_from_flags_to_masks;
}

#elif defined(__aarch64__)

// <cfenv>'s functions are in libm, which the drop-in BLAS does not link.
struct float_mode {
    std::uint64_t control;
    std::uint64_t status;
};
using float_flags = std::uint32_t;
inline constexpr float_flags all_float_flags = 0x9f;
inline constexpr int bits_from_flags_to_traps = 8;

namespace flag {
inline constexpr float_flags invalid = 1, division = 2, overflow = 4, underflow = 8, inexact = 16,
                             subnormal = 128;
}

inline std::uint64_t float_control() {
    std::uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}
inline std::uint64_t float_status() {
    std::uint64_t status;
    asm volatile("mrs %0, fpsr" : "=r"(status));
    return status;
}
inline void set(const float_mode& mode) {
    asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(mode.control), "r"(mode.status) : "memory");
}

inline float_mode float_mode_here() {
    return {float_control(), float_status()};
}
// Clears all flags and masks all traps.
inline void enter(const float_mode& mode) {
    constexpr std::uint64_t traps = std::uint64_t{all_float_flags} << bits_from_flags_to_traps;
    set({mode.control & ~traps, mode.status & ~std::uint64_t{all_float_flags}});
}
// Restores the mode with its flags and traps.
inline void restore(const float_mode& mode) {
    set(mode);
}
inline float_flags float_flags_here() {
    return static_cast<float_flags>(float_status()) & all_float_flags;
}
inline void set_flags(float_flags flags) {
    set({float_control(), float_status() | flags});
}
// The exceptions that do not trap.
inline float_flags masked_here() {
    return ~static_cast<float_flags>(float_control() >> bits_from_flags_to_traps);
}

#else

using float_mode = std::fenv_t;
using float_flags = std::uint32_t;

inline float_mode float_mode_here() {
    float_mode mode;
    std::fegetenv(&mode);
    return mode;
}
inline void enter(const float_mode& mode) {
    float_mode with_traps;
    std::fesetenv(&mode);
    std::feholdexcept(&with_traps);
}
inline void restore(const float_mode& mode) {
    std::fesetenv(&mode);
}
inline float_flags float_flags_here() {
    return static_cast<float_flags>(std::fetestexcept(FE_ALL_EXCEPT));
}
inline void raise(float_flags flags) {
    if (flags != 0) std::feraiseexcept(static_cast<int>(flags));
}

#endif

#if defined(__x86_64__) || defined(__aarch64__)

// Loading a flag traps nothing, and <cfenv>'s function that does is in libm, which the drop-in BLAS
// does not link. So an operation raises each exception here.
inline void meet(float_flags exceptions) {
    using limits = std::numeric_limits<float>;
    volatile float zero = 0, one = 1, three = 3, most = limits::max(), normal = limits::min();
    volatile float subnormal = limits::denorm_min();
    [[maybe_unused]] volatile float result = 0;
    if ((exceptions & flag::invalid) != 0) result = zero / zero;
    if ((exceptions & flag::subnormal) != 0) result = subnormal * one;
    if ((exceptions & flag::division) != 0) result = one / zero;
    if ((exceptions & flag::overflow) != 0) result = most * most;
    if ((exceptions & flag::underflow) != 0) result = normal * normal;
    if ((exceptions & flag::inexact) != 0) result = one / three;
}
inline void raise(float_flags flags) {
    const float_flags masked = masked_here();
    if ((flags & ~float_flags_here()) != 0) set_flags(flags);
    const float_flags trapped = flags & ~masked;
    if (trapped != 0) meet(trapped);
}

#endif

}  // namespace carat::core
