// Epilogues: what a product applies to its sums on their way to C, where a separate loop would read
// and write all of C again.
//
//   carat::matrix_product(a, b, c, carat::bias(values) | carat::gelu);   // C = gelu(A B + bias)
//   carat::matrix_product(a, b, c, c, carat::scale(0.5) | carat::relu);  // C = C + relu(A B / 2)
//   carat::matrix_product(a, b, c, carat::each([](auto x) { return x * x; }));
//
// Steps are applied from left to right in the type of the sums (double for double, float for the
// rest), and E is added last: C = epilogue(A B) + E. NaNs stay NaNs. Values are read while the
// product runs, not when the step is made.
//
// Sums of bytes are 32-bit integers, exact or an error, and are rounded to float before the first
// step. C is float, f16 or bf16, or bytes again, rounded to nearest even and saturated:
//
//   carat::matrix_product(x, w, y, carat::scale(scales) | carat::bias(v));          // float
//   carat::matrix_product(x, w, y, carat::scale(scales) | carat::relu | carat::scale(1 / next));
//
// A GPU (carat::cuda) supports no functors, but gates and amax:
//
//   carat::matrix_product(carat::cuda{}, x, w, y, carat::swiglu);        // W has 2n columns, Y n
//   carat::matrix_product(carat::cuda{}, x, w, y, carat::amax(&largest) | carat::scale(0.5));
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <carat/error.hpp>
#include <carat/export.hpp>
#include <carat/types.hpp>

namespace carat {

// One number for each row of C, or for each column.
enum class by : std::uint8_t { row, column };

namespace detail {

enum class step_kind : std::uint8_t {
    bias,
    scale,
    scale_all,
    relu,
    gelu,
    silu,
    each,
    reglu,
    geglu,
    swiglu,
    amax
};

[[nodiscard]] constexpr bool is_gate(step_kind kind) {
    return kind == step_kind::reglu || kind == step_kind::geglu || kind == step_kind::swiglu;
}

// `count` sums that are neighbours in a row of C or, if `down`, in a column; the first is (row,
// col).
template <class T>
using each_function = void (*)(const std::byte* functor, T* sums, std::size_t count,
                               std::size_t row, std::size_t col, bool down);

inline constexpr std::size_t most_functor_bytes = 32;

inline namespace CARAT_ABI {

// A step without its types, as it is passed to the compiled library.
struct epilogue_step {
    step_kind kind = step_kind::relu;
    by of = by::column;            // bias, scale
    const void* values = nullptr;  // bias, scale, amax: of the type of the sums
    std::size_t count = 0;
    double number = 1;  // scale_all
    each_function<double> each_f64 = nullptr;
    each_function<float> each_f32 = nullptr;
    alignas(std::max_align_t) std::array<std::byte, most_functor_bytes> functor = {};
};

inline constexpr std::size_t most_steps = 8;

struct epilogue_steps {
    std::array<epilogue_step, most_steps> at;
    std::size_t count = 0;
};

}  // namespace CARAT_ABI

// Calls f(x, row, col), or f(x).
template <class F, class T>
concept takes_sum =
    std::invocable<const F&, T, std::size_t, std::size_t> || std::invocable<const F&, T>;

template <class F, class T>
void call_each(const std::byte* functor, T* sums, std::size_t count, std::size_t row,
               std::size_t col, bool down) {
    const F& f = *std::launder(reinterpret_cast<const F*>(functor));
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::invocable<const F&, T, std::size_t, std::size_t>) {
            sums[i] =
                static_cast<T>(f(sums[i], row + (down ? i : 0), col + (down ? std::size_t{0} : i)));
        } else {
            sums[i] = static_cast<T>(f(sums[i]));
        }
    }
}

template <class T>
concept epilogue_value = std::same_as<T, double> || std::same_as<T, float>;

template <class R>
using value_in = std::remove_const_t<std::remove_pointer_t<decltype(std::declval<R&>().data())>>;

struct any_sums {};

}  // namespace detail

// Steps in order. Sums is the type of sums that their values need: double, float, or
// detail::any_sums for either.
template <class Sums = detail::any_sums>
class epilogue {
  public:
    using sums_type = Sums;

    constexpr explicit epilogue(const detail::epilogue_steps& steps) : steps_(steps) {}

    [[nodiscard]] constexpr const detail::epilogue_steps& steps() const { return steps_; }

  private:
    detail::epilogue_steps steps_;
};

namespace detail {

template <class F>
struct sums_asked_for {};
template <class S>
struct sums_asked_for<epilogue<S>> {
    using type = S;
};
template <class F>
concept epilogue_like = requires {
    typename sums_asked_for<std::remove_cvref_t<F>>::type;
};

template <class Sums = any_sums>
constexpr epilogue<Sums> one_step(const epilogue_step& step) {
    epilogue_steps steps;
    steps.at[0] = step;
    steps.count = 1;
    return epilogue<Sums>(steps);
}

template <class R>
concept values_like = requires(const R& values) {
    values.data();
    values.size();
};

template <class R>
auto values_step(step_kind kind, const R& values, by of) {
    using value = value_in<const R>;
    static_assert(epilogue_value<value>,
                  "carat::bias and carat::scale: values must be double or "
                  "float, the type the product is summed in");
    epilogue_step step;
    step.kind = kind;
    step.of = of;
    step.values = values.data();
    step.count = values.size();
    return one_step<value>(step);
}

}  // namespace detail

// The steps of `first`, then those of `next`. Throws carat::error for more than 8.
template <class X, class Y>
[[nodiscard]] auto operator|(const epilogue<X>& first, const epilogue<Y>& next) {
    using any = detail::any_sums;
    static_assert(std::same_as<X, Y> || std::same_as<X, any> || std::same_as<Y, any>,
                  "carat::epilogue: all values must be of one type");
    detail::epilogue_steps steps = first.steps();
    const std::size_t count = steps.count + next.steps().count;
    if (count > detail::most_steps)
        throw error(error_code::invalid_argument,
                    "epilogue: " + std::to_string(count) + " steps; put several into one of " +
                        "carat::each to have at most " + std::to_string(detail::most_steps));
    std::copy_n(next.steps().at.begin(), next.steps().count, steps.at.begin() + steps.count);
    steps.count = count;
    return epilogue<std::conditional_t<std::same_as<X, any>, Y, X>>(steps);
}

// Adds the value of its column (or row) to each sum: `values` is a vector, array or span with one
// number for each column (or row) of C, in the type of the sums.
template <class R>
[[nodiscard]] auto bias(const R& values, by of = by::column) {
    static_assert(
        detail::values_like<R>,
        "carat::bias: needs a vector, array or span with a number for each column or row "
        "of C; to add one number to all: carat::each([=](auto x) { return x + number; })");
    if constexpr (detail::values_like<R>)
        return detail::values_step(detail::step_kind::bias, values, of);
    else
        return detail::one_step({});  // so that nothing more is said
}

// Multiplies each sum by the value of its column (or row), or all by one number, rounded to the
// type of the sums.
template <class R>
requires(!std::is_arithmetic_v<R>) [[nodiscard]] auto scale(const R& values, by of = by::column) {
    static_assert(detail::values_like<R>,
                  "carat::scale: needs one number, or a vector, array or span with a number for "
                  "each column or row of C");
    if constexpr (detail::values_like<R>)
        return detail::values_step(detail::step_kind::scale, values, of);
    else
        return detail::one_step({});
}
[[nodiscard]] inline epilogue<> scale(double factor) {
    detail::epilogue_step step;
    step.kind = detail::step_kind::scale_all;
    step.number = factor;
    return detail::one_step(step);
}

// max(x, 0).
inline constexpr epilogue<> relu = detail::one_step({.kind = detail::step_kind::relu});
// The tanh variant: x / 2 (1 + tanh(0.79788456 (x + 0.044715 x^3))).
inline constexpr epilogue<> gelu = detail::one_step({.kind = detail::step_kind::gelu});
// x / (1 + e^-x).
inline constexpr epilogue<> silu = detail::one_step({.kind = detail::step_kind::silu});

// Gates, on a GPU: A B has twice as many columns as C, and C(i, j) = f(x(i, j)) x(i, j + n), where
// x are the sums after the previous steps, n are the columns of C and f is relu, gelu or silu.
// Column values before the gate are 2n. At most one.
inline constexpr epilogue<> reglu = detail::one_step({.kind = detail::step_kind::reglu});
inline constexpr epilogue<> geglu = detail::one_step({.kind = detail::step_kind::geglu});
inline constexpr epilogue<> swiglu = detail::one_step({.kind = detail::step_kind::swiglu});

// Writes the largest |x| at this step, over all products of a batch, to `where`, which is in the
// GPU's memory and has the type of the sums; NaN if any x is. GPU only, at most one, not before a
// gate.
template <class T>
requires detail::epilogue_value<T>
[[nodiscard]] epilogue<T> amax(T* where) {
    detail::epilogue_step step;
    step.kind = detail::step_kind::amax;
    step.values = where;
    step.count = 1;
    return detail::one_step<T>(step);
}

// Your own step: f(x) or f(x, row, col) for each sum x, a double or float. It is copied, must be
// trivially copyable with at most 32 bytes, aligned to at most 16, and is called by several threads
// at once; it must not throw.
template <class F>
[[nodiscard]] epilogue<> each(const F& f) {
    static_assert(
        std::is_trivially_copyable_v<F> && sizeof(F) <= detail::most_functor_bytes,
        "carat::each: the functor must be trivially copyable and of at most 32 bytes; let "
        "it hold pointers to what is larger");
    static_assert(alignof(F) <= alignof(std::max_align_t),
                  "carat::each: the functor must not be aligned to more than std::max_align_t; let "
                  "it hold a pointer to vectors of 32 bytes");
    constexpr bool takes_sums = detail::takes_sum<F, double> && detail::takes_sum<F, float>;
    static_assert(takes_sums,
                  "carat::each: needs a functor that const calls as f(x) or f(x, row, col) with a "
                  "double and a float");
    detail::epilogue_step step;
    step.kind = detail::step_kind::each;
    if constexpr (takes_sums) {
        step.each_f64 = &detail::call_each<F, double>;
        step.each_f32 = &detail::call_each<F, float>;
    }
    ::new (static_cast<void*>(step.functor.data())) F(f);
    return detail::one_step(step);
}

}  // namespace carat
