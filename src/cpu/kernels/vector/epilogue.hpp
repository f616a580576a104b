// The steps of an epilogue on sums in registers. A new activation needs a functor on one vector
// here, a case in run_step() and a name in carat/epilogue.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/kernels/epilogue.hpp"
#include "cpu/kernels/vector/convert.hpp"
#include "cpu/kernels/vector/registers.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// Applies f(x, beside) to every vector x of a run, where beside(p) is the vector at p of another
// run.
template <class T, class F>
inline void for_each_vector(T* sums, std::int64_t count, const F& f) {
    using vec = vector<T>;
    std::int64_t i = 0;
    for (; i + vec::lanes <= count; i += vec::lanes)
        vec::store(sums + i, f(vec::load(sums + i), [i](const T* p) { return vec::load(p + i); }));
    if (i == count) return;
    const auto edge = vec::first(static_cast<int>(count - i));
    const auto beside = [i, edge](const T* p) { return vec::load(p + i, edge); };
    vec::store(sums + i, f(vec::load(sums + i, edge), beside), edge);
}

template <class T>
struct exponential;
// Taylor's series up to the term below half a unit in the last place for |r| <= ln(2)/2, highest
// power first. x > most gives infinity. x < least gives the value at least instead of a subnormal,
// which would cost some 150 cycles: GELU of sums with deviation 11 took 6 ns each in f32, not 1.
template <>
struct exponential<float> {
    using integer = std::uint32_t;
    using whole = std::int32_t;
    static constexpr int fraction_bits = 23;
    static constexpr whole bias = 127;
    static constexpr float most = 110;
    static constexpr float least = -87;
    static constexpr float rounder = 0x1.8p23f;
    static constexpr float ln2_high = 0x1.62e4p-1f;
    static constexpr float ln2_low = 0x1.7f7d1cp-20f;
    static constexpr int degree = 7;
};
template <>
struct exponential<double> {
    using integer = std::uint64_t;
    using whole = std::int64_t;
    static constexpr int fraction_bits = 52;
    static constexpr whole bias = 1023;
    static constexpr double most = 760;
    static constexpr double least = -708;
    static constexpr double rounder = 0x1.8p52;
    static constexpr double ln2_high = 0x1.62e42fefa3p-1;
    static constexpr double ln2_low = 0x1.3de6af278ece6p-42;
    static constexpr int degree = 13;
};

template <class T>
constexpr T reciprocal_of_factorial(int n) {
    double product = 1;
    for (int i = 2; i <= n; ++i) product *= i;
    return static_cast<T>(1 / product);
}

// e^x = 2^n e^r with whole n and r = x - n ln 2. 2^n is two factors, since n may exceed the range.
template <class T>
inline typename vector<T>::type exp(typename vector<T>::type x) {
    using vec = vector<T>;
    using type = typename vec::type;
    using how = exponential<T>;
    typedef typename how::integer bits __attribute__((vector_size(sizeof(type))));
    typedef typename how::whole wholes __attribute__((vector_size(sizeof(type))));
    const type most = vec::broadcast(how::most);
    const type least = vec::broadcast(how::least);
    x = x > most ? most : x;
    x = x < least ? least : x;
    const type rounder = vec::broadcast(how::rounder);
    const type shifted =
        vec::multiply_add(x, vec::broadcast(static_cast<T>(1.4426950408889634)), rounder);
    const type n = shifted - rounder;
    type r = vec::multiply_add(n, vec::broadcast(-how::ln2_high), x);
    r = vec::multiply_add(n, vec::broadcast(-how::ln2_low), r);
    type sum = vec::broadcast(reciprocal_of_factorial<T>(how::degree));
    for (int i = how::degree - 1; i >= 0; --i)
        sum = vec::multiply_add(sum, r, vec::broadcast(reciprocal_of_factorial<T>(i)));
    const wholes exponent =
        __builtin_bit_cast(wholes, shifted) - __builtin_bit_cast(wholes, rounder);
    const wholes half = exponent >> 1;
    const auto power = [](wholes e) {
        return __builtin_bit_cast(type, __builtin_bit_cast(bits, e + how::bias)
                                            << how::fraction_bits);
    };
    return sum * power(half) * power(exponent - half);
}

template <class T>
struct relu {
    using type = typename vector<T>::type;
    type operator()(type x) const { return x < vector<T>::zero() ? vector<T>::zero() : x; }
};

template <class T>
struct silu {
    using type = typename vector<T>::type;
    type operator()(type x) const { return x / (vector<T>::broadcast(1) + exp<T>(-x)); }
};

// (1 + tanh(y)) / 2 is 1 / (1 + e^-2y).
template <class T>
struct gelu {
    using vec = vector<T>;
    using type = typename vec::type;
    type operator()(type x) const {
        constexpr double linear = 1.5957691216057308;  // 2 sqrt(2 / pi)
        const type cubic = vec::broadcast(static_cast<T>(linear * 0.044715));
        const type y = x * vec::multiply_add(x * x, cubic, vec::broadcast(static_cast<T>(linear)));
        return x / (vec::broadcast(1) + exp<T>(-y));
    }
};

template <class T>
using value_function = typename vector<T>::type (*)(typename vector<T>::type,
                                                    typename vector<T>::type);

template <class T, class F>
inline void activate(const epilogue_sums<T>& of, const F& f) {
    for (std::int64_t l = 0; l < of.lines; ++l)
        for_each_vector(of.sums + l * of.step, of.count, [&](auto x, const auto&) { return f(x); });
}

// Applies f(x, value), with one value for each sum of a run or one for each run.
template <class T, class F>
inline void combine(const epilogue_sums<T>& of, const T* values, bool by_element, const F& f) {
    for (std::int64_t l = 0; l < of.lines; ++l) {
        T* const sums = of.sums + l * of.step;
        if (by_element) {
            const T* const from = values + of.first;
            for_each_vector(sums, of.count,
                            [&](auto x, const auto& beside) { return f(x, beside(from)); });
        } else {
            const auto value = vector<T>::broadcast(values[of.line + l]);
            for_each_vector(sums, of.count, [&](auto x, const auto&) { return f(x, value); });
        }
    }
}

inline void call_functor(const detail::epilogue_step& step, double* sums, std::size_t count,
                         std::size_t row, std::size_t col, bool down) {
    step.each_f64(step.functor.data(), sums, count, row, col, down);
}
inline void call_functor(const detail::epilogue_step& step, float* sums, std::size_t count,
                         std::size_t row, std::size_t col, bool down) {
    step.each_f32(step.functor.data(), sums, count, row, col, down);
}

template <class T>
void run_each(const detail::epilogue_step& step, bool down, const epilogue_sums<T>& of) {
    const auto first = static_cast<std::size_t>(of.first);
    for (std::int64_t l = 0; l < of.lines; ++l) {
        const auto line = static_cast<std::size_t>(of.line + l);
        call_functor(step, of.sums + l * of.step, static_cast<std::size_t>(of.count),
                     down ? first : line, down ? line : first, down);
    }
}

template <class T>
void run_step(const detail::epilogue_step& step, bool down, const epilogue_sums<T>& of) {
    using type = typename vector<T>::type;
    const T* const values = static_cast<const T*>(step.values);
    const bool by_element = (step.of == by::row) == down;
    const auto multiply = [](type x, type y) { return x * y; };
    switch (step.kind) {
        case detail::step_kind::bias:
            return combine(of, values, by_element, [](type x, type y) { return x + y; });
        case detail::step_kind::scale:
            return combine(of, values, by_element, multiply);
        case detail::step_kind::scale_all: {
            const type factor = vector<T>::broadcast(static_cast<T>(step.number));
            return activate(of, [&](type x) { return x * factor; });
        }
        case detail::step_kind::relu:
            return activate(of, relu<T>());
        case detail::step_kind::gelu:
            return activate(of, gelu<T>());
        case detail::step_kind::silu:
            return activate(of, silu<T>());
        case detail::step_kind::each:
            return run_each(step, down, of);
        case detail::step_kind::reglu:
        case detail::step_kind::geglu:
        case detail::step_kind::swiglu:
        case detail::step_kind::amax:
            return;  // refused by the call
    }
}

// sums += beta E for a run.
template <class T>
inline void add_scaled(T* sums, std::int64_t count, T beta, const T* e) {
    const auto factor = vector<T>::broadcast(beta);
    for_each_vector(sums, count, [&](auto x, const auto& beside) {
        return vector<T>::multiply_add(factor, beside(e), x);
    });
}

template <class T, class S>
inline T as_sum(S x) {
    if constexpr (std::is_integral_v<S>)
        return static_cast<T>(x);
    else
        return static_cast<T>(widen(x));
}

// E of any type and strides, also through vectors: the same bits.
template <class T, class S>
inline void add_elements(T* sums, std::int64_t count, T beta, const S* e, std::int64_t step) {
    constexpr std::int64_t together = 64;
    T copy[together];
    for (std::int64_t i = 0; i < count; i += together) {
        const std::int64_t some = count - i < together ? count - i : together;
        for (std::int64_t j = 0; j < some; ++j) copy[j] = as_sum<T>(e[(i + j) * step]);
        add_scaled(sums + i, some, beta, copy);
    }
}

template <class T>
void add_residual(const epilogue_call<T>& how, const epilogue_sums<T>& of) {
    for (std::int64_t l = 0; l < of.lines; ++l) {
        T* const sums = of.sums + l * of.step;
        const std::int64_t first = of.first * how.e_run_step + (of.line + l) * how.e_run_stride;
        const auto add = [&](const auto* e) {
            add_elements(sums, of.count, how.beta, e + first, how.e_run_step);
        };
        if (how.e_type == dtype::f16)
            add(static_cast<const f16*>(how.e));
        else if (how.e_type == dtype::bf16)
            add(static_cast<const bf16*>(how.e));
        else if (how.e_type == dtype::i8)
            add(static_cast<const std::int8_t*>(how.e));
        else if (how.e_type == dtype::u8)
            add(static_cast<const std::uint8_t*>(how.e));
        else if (how.e_run_step != 1)
            add(static_cast<const T*>(how.e));
        else
            add_scaled(sums, of.count, how.beta, static_cast<const T*>(how.e) + first);
    }
}

// Applied to 32-bit integer sums in place.
template <class T>
inline void round_integers(const epilogue_sums<T>& of) {
    static_assert(sizeof(T) == sizeof(std::int32_t));
    for (std::int64_t l = 0; l < of.lines; ++l) {
        T* const sums = of.sums + l * of.step;
        for (std::int64_t i = 0; i < of.count; ++i)
            sums[i] = static_cast<T>(static_cast<std::int32_t>(bits_of(sums[i])));
    }
}

// See epilogue_function.
template <class T>
void run_epilogue(const epilogue_call<T>& how, const epilogue_sums<T>& of) {
    if constexpr (sizeof(T) == sizeof(std::int32_t))
        if (how.of_integers) round_integers(of);
    if (how.alpha != T{1}) {
        const auto alpha = vector<T>::broadcast(how.alpha);
        activate(of, [&](auto x) { return x * alpha; });
    }
    for (const detail::epilogue_step& step : how.steps) run_step(step, how.down, of);
    if (how.beta != T{0}) add_residual(how, of);
}

}  // namespace carat::cpu_engine::CARAT_ISA
