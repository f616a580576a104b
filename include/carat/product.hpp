// C = A B and C = E + A B, on matrices of any size and strides.
//
//   carat::matrix<double> a(2000, 500), b(500, 1000), c(2000, 1000);
//   ...
//   carat::matrix_product(a, b, c);                                       // C = A B
//   carat::matrix_product(carat::scaled(2.0, a), b, c, c);                // C = C + 2 A B
//   carat::matrix_product(a, b, carat::scaled(0.5, c), c);                // C = 0.5 C + A B
//   carat::matrix_product(carat::transposed(b), carat::transposed(a), ct);  // C^T = B^T A^T
//   carat::matrix_product(carat::cpu{.threads = 1}, a, b, c);
//   carat::matrix_product(a, b, c, carat::bias(v) | carat::gelu);         // see epilogue.hpp
//   carat::matrix_product(a, carat::prepare(b), c);                       // see prepare.hpp
//   carat::matrix_product(carat::cuda{stream}, a, b, c);                  // in a GPU's memory
//
// A, B and E are read, C is written. Each is a carat::matrix, a carat::matrix_view or anything like
// std::mdspan of rank 2; A, B and E may be scaled, and all may be transposed: strides, no copies.
//
// Elements: double; float, with a C of float, carat::f16 or carat::bf16; std::int32_t; carat::f16
// or carat::bf16 with a C of the same type or of float; std::int8_t and std::uint8_t, also mixed,
// with a C of std::int32_t, or of float, f16 or bf16, or of bytes with an epilogue. f16 and bf16
// are summed in float and rounded once; processor instructions for bf16 (AMX, AVX512_BF16) treat
// its subnormal numbers, below 2^-126, as zeros. carat::cpu{.f16 = carat::f16_as::f16_sums} allows
// faster, less precise sums. Sums of std::int32_t are exact or an error, never wrapped or
// saturated: scale factors must be whole numbers, and a result that does not fit throws before C is
// touched.
//
// E may be C itself; otherwise C must not overlap A, B, E or values of an epilogue. Without E, or
// with E scaled by 0, C is never read; with A or B scaled by 0, A and B are never read. An empty
// sum (K = 0) is 0. The values depend neither on the number of threads nor on the addresses of
// operands.
//
// Any number of threads may call at once. Each calling thread keeps up to 64 MiB of workspace for
// its next call; small products need none. A process forked by a program with threads uses one
// thread.
//
// On a GPU (carat::cuda) elements are double, float, carat::f16, carat::bf16, carat::e4m3 or
// carat::e5m2 by carat::e4m3, and std::int8_t with a C of std::int32_t that wraps; if sums are
// float, C may be any of float, f16, bf16, e4m3 and e5m2. Sizes, strides, null data and overlaps
// are checked before anything is started. The next call into CUDA reports later failures.
//
// Throws carat::error, with C untouched: size_mismatch, aliasing, overflow (of an integer result,
// or of 64-bit sizes), invalid_argument (null data, a C whose elements overlap, an unsuitable
// factor for integers, a negative number of threads), out_of_memory (on a GPU another E may already
// have been copied to C); unsupported, for what this processor or GPU, or a machine without one,
// cannot multiply; device_failed, if a GPU or its driver failed, and C may be anything.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <carat/epilogue.hpp>
#include <carat/erased.hpp>
#include <carat/export.hpp>
#include <carat/policy.hpp>
#include <carat/prepare.hpp>
#include <carat/views.hpp>

namespace carat {

namespace detail {

// C = E + A B. A null `e` means C = A B.
CARAT_API void multiply(const cpu& where, const erased_matrix& a, const erased_matrix& b,
                        const erased_matrix* e, const erased_matrix& c);

// C = E + epilogue(A B).
CARAT_API void multiply_with_epilogue(const cpu& where, const erased_matrix& a,
                                      const erased_matrix& b, const erased_matrix* e,
                                      const erased_matrix& c, const epilogue_steps& steps);

// C = E + epilogue(A B) on a GPU. `e` and `steps` may be null.
CARAT_API void multiply_on_gpu(const cuda& where, const erased_matrix& a, const erased_matrix& b,
                               const erased_matrix* e, const erased_matrix& c,
                               const epilogue_steps* steps);

inline void multiply(const cuda& where, const erased_matrix& a, const erased_matrix& b,
                     const erased_matrix* e, const erased_matrix& c) {
    multiply_on_gpu(where, a, b, e, c, nullptr);
}
inline void multiply_with_epilogue(const cuda& where, const erased_matrix& a,
                                   const erased_matrix& b, const erased_matrix* e,
                                   const erased_matrix& c, const epilogue_steps& steps) {
    multiply_on_gpu(where, a, b, e, c, &steps);
}

template <class T>
concept fp8 = element<T> && is_fp8(dtype_of_v<T>);
template <class T>
concept half = element<T> && is_half(dtype_of_v<T>);
template <class T>
concept byte_integer = element<T> && is_byte_integer(dtype_of_v<T>);

template <class T, class P>
concept multiplied = element<T> &&(!fp8<T> || std::same_as<P, cuda>);

// Elements whose sums are f32, which may be stored as any narrower floating type.
template <class T>
concept summed_in_f32 = std::same_as<T, float> || half<T> || fp8<T>;

// The types to which sums of bytes may be rounded on a CPU; to bytes only by an epilogue.
template <class C, bool HasEpilogue>
concept rounded_from_integers = std::same_as<C, float> || half<C> ||(HasEpilogue&& byte_integer<C>);

template <class T, class C, class P, bool HasEpilogue>
concept summed_into = (std::same_as<T, C> && !fp8<T> && !byte_integer<T>) ||
                      (byte_integer<T> &&
                       (std::same_as<C, std::int32_t> ||
                        (std::same_as<P, cpu> && rounded_from_integers<C, HasEpilogue>))) ||
                      (half<T> && std::same_as<C, float>) || (half<C> && std::same_as<T, float>) ||
                      (std::same_as<P, cuda> && summed_in_f32<T> && summed_in_f32<C>);

// The type in which sums of elements of T are finished before they are stored to C.
template <class T, class C>
using sums_of =
    std::conditional_t<half<T> || fp8<T> || (byte_integer<T> && !std::same_as<C, std::int32_t>),
                       float, T>;

template <class M>
concept ready = std::same_as<std::remove_cvref_t<M>, prepared_matrix>;

inline erased_matrix erase(const prepared_matrix& m) {
    return m.erased();
}

// The element type of a product whose A or B may be prepared; the call checks whether the prepared
// matrix has it, too.
template <class A, class B>
using product_element = std::conditional_t<ready<A>, element_of<B>, element_of<A>>;

template <class M, class P>
concept readable = operand<M> && multiplied<element_of<M>, P>;

template <class M>
concept writable = matrix_like<M> && !std::is_const_v<element_in<M>>;

template <class A, class B>
concept multiplied_by = std::same_as<A, B> ||(fp8<A>&& fp8<B>) ||
                        (byte_integer<A> && byte_integer<B>);

// Both operands must have block scales: e4m3 on a GPU.
template <class M>
concept e4m3_in_blocks = block_scaled<M> && std::same_as<element_of<M>, e4m3>;
template <class A, class B, class E, class P>
concept scales_suit =
    !block_scaled<E> && ((!block_scaled<A> && !block_scaled<B>) ||
                         (e4m3_in_blocks<A> && e4m3_in_blocks<B> && std::same_as<P, cuda>));

template <class A, class B, class E, class C, class P, bool HasEpilogue>
concept product_of =
    (readable<A, P> || ready<A>)&&(readable<B, P> || ready<B>)&&(!ready<A> || !ready<B>)&&(
        std::same_as<P, cpu> || (!ready<A> && !ready<B>)) &&
    readable<E, P>&& writable<C>&& scales_suit<A, B, E, P> &&
    (ready<A> || ready<B> || multiplied_by<element_of<A>, element_of<B>>)&&summed_into<
        product_element<A, B>, element_of<C>, P, HasEpilogue>&& std::same_as<element_of<E>,
                                                                             element_of<C>>;

// One message for each possible mistake; the first that applies is shown.
template <class A, class B, class E, class C, class P = cpu, bool HasEpilogue = false>
constexpr bool check_types() {
    constexpr bool both = (operand<A> || ready<A>)&&(operand<B> || ready<B>);
    static_assert(
        both && operand<E>,
        "carat::matrix_product: A, B and E must be a carat::matrix, a carat::matrix_view, "
        "something like std::mdspan of rank 2, or one of these scaled or transposed; A or B may "
        "be a carat::prepared_matrix");
    static_assert(!ready<A> || !ready<B>,
                  "carat::matrix_product: only one of A and B can be prepared");
    static_assert(std::same_as<P, cpu> || (!ready<A> && !ready<B>),
                  "carat::matrix_product: operands are prepared for the CPU; give carat::cuda "
                  "matrices in the GPU's memory");
    static_assert(matrix_like<C>,
                  "carat::matrix_product: C must be a carat::matrix, a carat::matrix_view or "
                  "something like std::mdspan of rank 2, and can't be scaled");
    using element = product_element<A, B>;
    static_assert(
        !both || (ready<A> && ready<B>) || multiplied<element, P>,
        "carat::matrix_product: elements must be double, float, std::int32_t, carat::f16, "
        "carat::bf16, std::int8_t or std::uint8_t, on a GPU also carat::e4m3 or carat::e5m2");
    static_assert(!operand<A> || !operand<B> || multiplied_by<element_of<A>, element_of<B>>,
                  "carat::matrix_product: A and B must have the same element type, or both be "
                  "8-bit integers, or both fp8");
    static_assert(!both || !matrix_like<C> || summed_into<element, element_of<C>, P, HasEpilogue>,
                  "carat::matrix_product: C must have the element type of A, or float where A is "
                  "carat::f16 or carat::bf16, or one of these where A is float; where A is an "
                  "8-bit integer std::int32_t, on a CPU also float, carat::f16 or carat::bf16, and "
                  "with an epilogue that says how to scale them 8-bit integers; on a GPU float, "
                  "carat::f16, carat::bf16 or fp8 where A is one of them");
    static_assert(scales_suit<A, B, E, P>,
                  "carat::matrix_product: scales of blocks are for A and B both, of carat::e4m3, "
                  "with carat::cuda");
    static_assert(!matrix_like<C> || writable<C>,
                  "carat::matrix_product: C is read-only (its elements are const)");
    static_assert(!operand<E> || !matrix_like<C> || std::same_as<element_of<E>, element_of<C>>,
                  "carat::matrix_product: E must have the element type of C");
    return product_of<A, B, E, C, P, HasEpilogue>;
}

template <class F, class A, class C>
constexpr bool check_epilogue() {
    using asked = typename sums_asked_for<F>::type;
    using sums = sums_of<A, C>;
    constexpr bool suits = std::same_as<asked, any_sums> || std::same_as<asked, sums>;
    static_assert(epilogue_value<sums>,
                  "carat::matrix_product: products of integers into std::int32_t can't have an "
                  "epilogue; of bytes, on a CPU, take a C of float, carat::f16, carat::bf16, "
                  "std::int8_t or std::uint8_t");
    static_assert(
        suits || !epilogue_value<sums>,
        "carat::matrix_product: values of an epilogue must be double where A is, else float");
    return suits;
}

}  // namespace detail

// C = A B there.
template <detail::place P, class A, class B, class C>
void matrix_product(const P& where, A&& a, B&& b, C&& c) {
    using target = std::remove_reference_t<C>;
    if constexpr (detail::check_types<std::remove_reference_t<A>, std::remove_reference_t<B>,
                                      target, target, P>())
        detail::multiply(where, detail::erase(a), detail::erase(b), nullptr, detail::erase(c));
}

// C = E + A B there.
template <detail::place P, class A, class B, class E, class C>
requires(!detail::epilogue_like<C>) void matrix_product(const P& where, A&& a, B&& b, E&& e,
                                                        C&& c) {
    if constexpr (detail::check_types<std::remove_reference_t<A>, std::remove_reference_t<B>,
                                      std::remove_reference_t<E>, std::remove_reference_t<C>,
                                      P>()) {
        const detail::erased_matrix added = detail::erase(e);
        detail::multiply(where, detail::erase(a), detail::erase(b), &added, detail::erase(c));
    }
}

// C = epilogue(A B) there.
template <detail::place P, class A, class B, class C, detail::epilogue_like F>
void matrix_product(const P& where, A&& a, B&& b, C&& c, const F& last) {
    using target = std::remove_reference_t<C>;
    if constexpr (detail::check_types<std::remove_reference_t<A>, std::remove_reference_t<B>,
                                      target, target, P, true>()) {
        if constexpr (detail::check_epilogue<F,
                                             detail::product_element<std::remove_reference_t<A>,
                                                                     std::remove_reference_t<B>>,
                                             detail::element_of<std::remove_reference_t<C>>>())
            detail::multiply_with_epilogue(where, detail::erase(a), detail::erase(b), nullptr,
                                           detail::erase(c), last.steps());
    }
}

// C = E + epilogue(A B) there.
template <detail::place P, class A, class B, class E, class C, detail::epilogue_like F>
void matrix_product(const P& where, A&& a, B&& b, E&& e, C&& c, const F& last) {
    if constexpr (detail::check_types<std::remove_reference_t<A>, std::remove_reference_t<B>,
                                      std::remove_reference_t<E>, std::remove_reference_t<C>, P,
                                      true>()) {
        const detail::erased_matrix added = detail::erase(e);
        if constexpr (detail::check_epilogue<F,
                                             detail::product_element<std::remove_reference_t<A>,
                                                                     std::remove_reference_t<B>>,
                                             detail::element_of<std::remove_reference_t<C>>>())
            detail::multiply_with_epilogue(where, detail::erase(a), detail::erase(b), &added,
                                           detail::erase(c), last.steps());
    }
}

// The same on the CPU, with as many threads as OMP_NUM_THREADS or the machine offers.
template <class A, class B, class C>
void matrix_product(A&& a, B&& b, C&& c) {
    matrix_product(cpu{}, a, b, c);
}
template <class A, class B, class E, class C>
requires(!detail::place<A> && !detail::epilogue_like<C>) void matrix_product(A&& a, B&& b, E&& e,
                                                                             C&& c) {
    matrix_product(cpu{}, a, b, e, c);
}
template <class A, class B, class C, detail::epilogue_like F>
requires(!detail::place<A>) void matrix_product(A&& a, B&& b, C&& c, const F& last) {
    matrix_product(cpu{}, a, b, c, last);
}
template <class A, class B, class E, class C, detail::epilogue_like F>
requires(!detail::place<A>) void matrix_product(A&& a, B&& b, E&& e, C&& c, const F& last) {
    matrix_product(cpu{}, a, b, e, c, last);
}

}  // namespace carat
