// Many products in one call, of one size or of any.
//
//   // 12 heads that lie side by side in q (128 x 768), k and scores (12 x 128 x 128):
//   const auto q_heads = carat::strided(q.view().block(0, 0, 128, 64), 12, 64);
//   const auto k_heads = carat::strided(k.view().block(0, 0, 128, 64), 12, 64);
//   const auto s_heads = carat::strided(carat::matrix_view(scores, 128, 128), 12, 128 * 128);
//   carat::matrix_products(q_heads, carat::transposed(k_heads), s_heads);
//   carat::matrix_products(carat::pointers(as, 8, 8), b, carat::pointers(cs, 8, 8));
//
//   // A mixture of experts: each multiplies its own rows of x, as many as there are of them.
//   std::vector<carat::matrix_view<float>> rows, results;  // blocks of x and of y
//   carat::matrix_products(carat::listed(rows), carat::strided(weights, experts, k * n),
//                          carat::listed(results));
//
//   // The same where only the GPU knows how many: each expert's rows of x end before ends[i], in
//   the
//   // GPU's memory, and nothing waits for them. The gradients of the weights divide x's rows as K.
//   const auto routed = carat::ragged(x.view(), ends, experts);
//   carat::matrix_products(gpu, routed, weights, carat::ragged(y.view(), ends, experts));
//   carat::matrix_products(gpu, carat::transposed(routed), carat::ragged(dy.view(), ends, experts),
//                          weight_gradients);
//
// The values have the same bits as those of a loop of carat::matrix_product over the batch. On a
// GPU that holds with carat::cuda{.batch_invariant = true} in both; otherwise they are within the
// same error bounds, since few products divide K among CTAs and many need not. A, B and E may also
// be one matrix for all, and such an A or B may be prepared; C is a batch. No C may overlap another
// C, nor the A, B or E of any product, except that an E may be its own product's C. Elements are
// those of matrix_product. If one integer sum does not fit, no product is written. Threads are
// spread over the batch, or over each product if these are large and few.
//
// With carat::cuda{...} as first argument the matrices are in a GPU's memory (the array of pointers
// is not), and elements are those that matrix_product multiplies there, integers included.
//
// Throws what matrix_product throws, with the number of the product if it concerns one. Every C is
// then untouched, except after out_of_memory and device_failed on a GPU, when other products may
// have been started. size_mismatch: A, B or E are neither one matrix nor as many as C.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include <carat/product.hpp>

namespace carat {

// Matrices of one size and one pair of strides. Matrix i is i * stride elements after the first, or
// at pointers[i] if there are pointers.
template <class T>
struct batch_view {
    matrix_view<T> first;  // data is null where there are pointers
    std::size_t count = 0;
    std::ptrdiff_t stride = 0;
    T* const* pointers = nullptr;
    double factor = 1;
};

// `count` matrices like `first`, `stride` elements from one to the next. 0 repeats the first.
template <class M>
requires(detail::operand<M> && !detail::block_scaled<M>)
    [[nodiscard]] auto strided(M&& first, std::size_t count, std::ptrdiff_t stride) {
    return batch_view<detail::element_in<std::remove_reference_t<M>>>{
        detail::plain(first), count, stride, nullptr, detail::factor_of(first)};
}

// Row-major rows x cols matrices at these addresses, or with these strides.
template <class T, std::size_t N>
[[nodiscard]] batch_view<T> pointers(std::span<T* const, N> where, std::size_t rows,
                                     std::size_t cols, std::ptrdiff_t row_stride,
                                     std::ptrdiff_t col_stride) {
    return {{nullptr, rows, cols, row_stride, col_stride}, where.size(), 0, where.data(), 1};
}
template <class R>
[[nodiscard]] auto pointers(const R& where, std::size_t rows, std::size_t cols) {
    return pointers(std::span(where.data(), where.size()), rows, cols,
                    static_cast<std::ptrdiff_t>(cols), 1);
}

// Matrices of any sizes and strides; `at` knows their type.
template <class T>
struct list_view {
    detail::erased_matrix (*at)(const void* list, std::size_t i) = nullptr;
    const void* list = nullptr;
    std::size_t count = 0;
    bool turned = false;
    double factor = 1;
};

// The matrices of an array, of any sizes, such as a std::vector of carat::matrix_view. It must live
// until the call returns, like the addresses of `pointers`.
template <class R>
requires matrix_like<std::remove_pointer_t<decltype(std::data(std::declval<R&>()))>>
[[nodiscard]] auto listed(R&& matrices) {
    using matrix = std::remove_pointer_t<decltype(std::data(matrices))>;
    return list_view<detail::element_in<matrix>>{
        [](const void* list, std::size_t i) {
            return detail::erase(static_cast<matrix*>(const_cast<void*>(list))[i]);
        },
        std::data(matrices), std::size(matrices), false, 1};
}

// One matrix whose rows or columns are divided among products in order: product i's part ends
// before row ends[i] and begins where the previous one ends. Products divide the rows of A and C
// (and E), the columns of B and C (and E), or K (A's columns and B's rows), all by one array. Rows
// of C after the last end are left as they are; a product without any K has sums of 0.
//
// With carat::cuda{...} the array is in the GPU's memory and must live until the product has run,
// which reads it (in a graph each time). There an end that is not above the previous one leaves its
// product empty, and one beyond the matrix is cut to it. Limits there: 65535 products; the other
// operands are one for all or strided; E is C or (except for i8, tf32 and 3xTF32) divided like C;
// no epilogue has a value for each divided line; f64 and f32 have other bits than single calls;
// without K, a -0 of E may become 0. e5m2 divides no columns; integers, fp8, gates, some steps and
// layouts no K (ADR 0103). A CPU reads the host's array, and refuses impossible ends.
template <class T>
struct ragged_view {
    matrix_view<T> all;
    const std::int32_t* ends = nullptr;
    std::size_t count = 0;  // of ends
    bool by_columns = false;
    double factor = 1;
};

// The rows of `all`; transposed() makes them columns.
template <class M>
requires(detail::operand<M> && !detail::block_scaled<M>)
    [[nodiscard]] auto ragged(M&& all, const std::int32_t* ends, std::size_t count) {
    return ragged_view<detail::element_in<std::remove_reference_t<M>>>{
        detail::plain(all), ends, count, false, detail::factor_of(all)};
}

template <class T>
[[nodiscard]] ragged_view<T> transposed(const ragged_view<T>& r) {
    return {transposed(r.all), r.ends, r.count, !r.by_columns, r.factor};
}
template <class T>
[[nodiscard]] ragged_view<T> scaled(double factor, const ragged_view<T>& r) {
    return {r.all, r.ends, r.count, r.by_columns, factor * r.factor};
}

template <class T>
[[nodiscard]] list_view<T> transposed(list_view<T> l) {
    l.turned = !l.turned;
    return l;
}
template <class T>
[[nodiscard]] list_view<T> scaled(double factor, list_view<T> l) {
    l.factor *= factor;
    return l;
}

template <class T>
[[nodiscard]] batch_view<T> transposed(const batch_view<T>& b) {
    return {transposed(b.first), b.count, b.stride, b.pointers, b.factor};
}
template <class T>
[[nodiscard]] batch_view<T> scaled(double factor, const batch_view<T>& b) {
    return {b.first, b.count, b.stride, b.pointers, factor * b.factor};
}

namespace detail {

inline namespace CARAT_ABI {

// A batch without its types.
struct erased_batch {
    erased_matrix first;
    std::size_t count;
    std::ptrdiff_t stride;
    const void* const* pointers;
    // Reads matrix i of a list, of which `first` has only the type and factor.
    erased_matrix (*at)(const void* list, std::size_t i) = nullptr;
    const void* list = nullptr;
    bool turned = false;
    bool for_all = false;  // one matrix for all products; its count is 0
    bool ragged = false;   // `first` is what `count` products share out, as `ends` says
    bool by_columns = false;
    const std::int32_t* ends = nullptr;
};

}  // namespace CARAT_ABI

// C = E + epilogue(A B) for each product. `e` and `steps` may be null.
CARAT_API void multiply_batch(const cpu& where, const erased_batch& a, const erased_batch& b,
                              const erased_batch* e, const erased_batch& c,
                              const epilogue_steps* steps);

// The same on a GPU.
CARAT_API void multiply_batch(const cuda& where, const erased_batch& a, const erased_batch& b,
                              const erased_batch* e, const erased_batch& c,
                              const epilogue_steps* steps);

template <class M>
struct each_of {
    using type = M;
};
template <class T>
struct each_of<batch_view<T>> {
    using type = matrix_view<T>;
};
template <class T>
struct each_of<const batch_view<T>> {
    using type = matrix_view<T>;
};
template <class T>
struct each_of<list_view<T>> {
    using type = matrix_view<T>;
};
template <class T>
struct each_of<const list_view<T>> {
    using type = matrix_view<T>;
};
template <class T>
struct each_of<ragged_view<T>> {
    using type = matrix_view<T>;
};
template <class T>
struct each_of<const ragged_view<T>> {
    using type = matrix_view<T>;
};
// The operands of one product.
template <class M>
using each_in = typename each_of<std::remove_reference_t<M>>::type;

template <class M>
concept batched = !std::same_as<each_in<M>, std::remove_reference_t<M>>;

template <class T>
erased_batch erase_batch(const batch_view<T>& b) {
    erased_matrix first = erase(b.first);
    first.factor = b.factor;
    return {first, b.count, b.stride, reinterpret_cast<const void* const*>(b.pointers)};
}
template <class T>
erased_batch erase_batch(const list_view<T>& l) {
    const erased_matrix any = {nullptr, 0, 0, 0, 1, dtype_of_v<std::remove_const_t<T>>, l.factor};
    return {any, l.count, 0, nullptr, l.at, l.list, l.turned};
}
template <class T>
erased_batch erase_batch(const ragged_view<T>& r) {
    erased_batch shared = {erase(r.all), r.count, 0, nullptr};
    shared.first.factor = r.factor;
    shared.ragged = true;
    shared.by_columns = r.by_columns;
    shared.ends = r.ends;
    return shared;
}
template <class M>
requires(!batched<M>) erased_batch erase_batch(M& m) {
    erased_batch one = {erase(m), 0, 0, nullptr};
    one.for_all = true;
    return one;
}

template <class A, class B, class E, class C, class P = cpu, bool HasEpilogue = false>
constexpr bool check_batch() {
    static_assert(batched<C>,
                  "carat::matrix_products: C must be a batch: carat::strided(c, count, "
                  "stride), carat::pointers(...), carat::listed(...) or carat::ragged(...)");
    if constexpr (batched<C>)
        return check_types<each_in<A>, each_in<B>, each_in<E>, each_in<C>, P, HasEpilogue>();
    return false;
}

}  // namespace detail

// C = A B for each product.
template <detail::place P, class A, class B, class C>
void matrix_products(const P& where, A&& a, B&& b, C&& c) {
    if constexpr (detail::check_batch<A, B, C, C, P>())
        detail::multiply_batch(where, detail::erase_batch(a), detail::erase_batch(b), nullptr,
                               detail::erase_batch(c), nullptr);
}

// C = E + A B for each product.
template <detail::place P, class A, class B, class E, class C>
requires(!detail::epilogue_like<C>) void matrix_products(const P& where, A&& a, B&& b, E&& e,
                                                         C&& c) {
    if constexpr (detail::check_batch<A, B, E, C, P>()) {
        const detail::erased_batch added = detail::erase_batch(e);
        detail::multiply_batch(where, detail::erase_batch(a), detail::erase_batch(b), &added,
                               detail::erase_batch(c), nullptr);
    }
}

// C = epilogue(A B) for each product, with the values of the epilogue for all.
template <detail::place P, class A, class B, class C, detail::epilogue_like F>
void matrix_products(const P& where, A&& a, B&& b, C&& c, const F& last) {
    if constexpr (detail::check_batch<A, B, C, C, P, true>()) {
        using element = detail::product_element<detail::each_in<A>, detail::each_in<B>>;
        if constexpr (detail::check_epilogue<F, element, detail::element_of<detail::each_in<C>>>())
            detail::multiply_batch(where, detail::erase_batch(a), detail::erase_batch(b), nullptr,
                                   detail::erase_batch(c), &last.steps());
    }
}

// C = E + epilogue(A B) for each product.
template <detail::place P, class A, class B, class E, class C, detail::epilogue_like F>
void matrix_products(const P& where, A&& a, B&& b, E&& e, C&& c, const F& last) {
    if constexpr (detail::check_batch<A, B, E, C, P, true>()) {
        using element = detail::product_element<detail::each_in<A>, detail::each_in<B>>;
        const detail::erased_batch added = detail::erase_batch(e);
        if constexpr (detail::check_epilogue<F, element, detail::element_of<detail::each_in<C>>>())
            detail::multiply_batch(where, detail::erase_batch(a), detail::erase_batch(b), &added,
                                   detail::erase_batch(c), &last.steps());
    }
}

// The same on the CPU, with as many threads as OMP_NUM_THREADS or the machine offers.
template <class A, class B, class C>
void matrix_products(A&& a, B&& b, C&& c) {
    matrix_products(cpu{}, a, b, c);
}
template <class A, class B, class E, class C>
requires(!detail::place<A> && !detail::epilogue_like<C>) void matrix_products(A&& a, B&& b, E&& e,
                                                                              C&& c) {
    matrix_products(cpu{}, a, b, e, c);
}
template <class A, class B, class C, detail::epilogue_like F>
requires(!detail::place<A>) void matrix_products(A&& a, B&& b, C&& c, const F& last) {
    matrix_products(cpu{}, a, b, c, last);
}
template <class A, class B, class E, class C, detail::epilogue_like F>
requires(!detail::place<A>) void matrix_products(A&& a, B&& b, E&& e, C&& c, const F& last) {
    matrix_products(cpu{}, a, b, e, c, last);
}

}  // namespace carat
