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
// Loading a flag traps nothing, and <cfenv>'s function that does is in libm, which the drop-in BLAS
// does not link. So an operation raises each exception here.
inline void meet(float_flags exceptions) {
    using limits = std::numeric_limits<float>;
    volatile float zero = 0, one = 1, three = 3, most = limits::max(), normal = limits::min();
    volatile float subnormal = limits::denorm_min();
    [[maybe_unused]] volatile float result = 0;
    if ((exceptions & _MM_EXCEPT_INVALID) != 0) result = zero / zero;
    if ((exceptions & _MM_EXCEPT_DENORM) != 0) result = subnormal * one;
    if ((exceptions & _MM_EXCEPT_DIV_ZERO) != 0) result = one / zero;
    if ((exceptions & _MM_EXCEPT_OVERFLOW) != 0) result = most * most;
    if ((exceptions & _MM_EXCEPT_UNDERFLOW) != 0) result = normal * normal;
    if ((exceptions & _MM_EXCEPT_INEXACT) != 0) result = one / three;
}
inline void raise(float_flags flags) {
    const float_mode mode = _mm_getcsr();
    if ((flags & ~mode) != 0) _mm_setcsr(mode | flags);
    const float_flags trapped = flags & ~(mode >> bits_from_flags_to_masks);
    if (trapped != 0) meet(trapped);
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

}  // namespace carat::core
