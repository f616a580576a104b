// Operands without their types, as they are passed to the compiled library.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <carat/export.hpp>
#include <carat/types.hpp>
#include <carat/views.hpp>

namespace carat::detail {

struct prepared_operand;

inline namespace CARAT_ABI {

// Scales of an operand's blocks.
struct erased_scales {
    const float* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::ptrdiff_t row_stride = 0;
    std::ptrdiff_t col_stride = 0;
    bool given = false;
};

// Only C is written.
struct erased_matrix {
    void* data;
    std::size_t rows;
    std::size_t cols;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t col_stride;
    dtype type;
    double factor;
    const prepared_operand* prepared = nullptr;  // then data is null, strides are what they were
    erased_scales scales = {};
};

}  // namespace CARAT_ABI

template <class T>
constexpr matrix_view<T> plain(const scaled_view<T>& s) {
    return view_of(s.matrix);
}
template <class T>
constexpr matrix_view<T> plain(const block_scaled_view<T>& s) {
    return view_of(s.matrix);
}
template <matrix_like M>
constexpr auto plain(M& m) {
    return view_of(m);
}

template <class T>
constexpr double factor_of(const scaled_view<T>& s) {
    return s.factor;
}
template <class T>
constexpr double factor_of(const block_scaled_view<T>& s) {
    return s.factor;
}
template <class M>
constexpr double factor_of(const M&) {
    return 1;
}

template <class T>
constexpr erased_scales scales_of(const block_scaled_view<T>& s) {
    return {s.scales.data(),       s.scales.rows(),       s.scales.cols(),
            s.scales.row_stride(), s.scales.col_stride(), true};
}
template <class M>
constexpr erased_scales scales_of(const M&) {
    return {};
}

template <class M>
struct is_block_scaled : std::false_type {};
template <class T>
struct is_block_scaled<block_scaled_view<T>> : std::true_type {};
template <class M>
concept block_scaled = is_block_scaled<std::remove_cvref_t<M>>::value;

template <class M>
concept operand = requires(M& m) {
    plain(m);
};

struct no_matrix {};

template <class M>
struct element_behind {
    using type = no_matrix;
};
template <operand M>
struct element_behind<M> {
    using type = typename decltype(plain(std::declval<M&>()))::element_type;
};
// The element type, const if the matrix is read-only.
template <class M>
using element_in = typename element_behind<M>::type;
template <class M>
using element_of = std::remove_const_t<element_in<M>>;

template <operand M>
erased_matrix erase(M& m) {
    const auto view = plain(m);
    using element = element_of<M>;
    return {const_cast<element*>(view.data()),
            view.rows(),
            view.cols(),
            view.row_stride(),
            view.col_stride(),
            dtype_of_v<element>,
            factor_of(m),
            nullptr,
            scales_of(m)};
}

}  // namespace carat::detail
