// Matrices as views: a pointer, two extents and two strides. Row-major, column-major, transposes
// and sub-matrices are all strides; nothing here copies an element, except the owning `matrix`.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <carat/error.hpp>
#include <carat/types.hpp>

namespace carat {

// rows x columns elements; (i, j) is data[i * row_stride + j * col_stride]. Strides are in elements
// and may be negative, and 0 in a read-only view.
template <class T>
class matrix_view {
  public:
    using element_type = T;
    using value_type = std::remove_const_t<T>;

    constexpr matrix_view() = default;

    // Row-major and contiguous.
    constexpr matrix_view(T* data, std::size_t rows, std::size_t cols)
        : matrix_view(data, rows, cols, static_cast<std::ptrdiff_t>(cols), 1) {}

    constexpr matrix_view(T* data, std::size_t rows, std::size_t cols, std::ptrdiff_t row_stride,
                          std::ptrdiff_t col_stride)
        : data_(data), rows_(rows), cols_(cols), row_stride_(row_stride), col_stride_(col_stride) {}

    // A view of const elements from a view of mutable ones.
    template <class U>
    requires std::same_as<const U, T>
    constexpr matrix_view(const matrix_view<U>& other)
        : matrix_view(other.data(), other.rows(), other.cols(), other.row_stride(),
                      other.col_stride()) {}

    [[nodiscard]] constexpr T* data() const { return data_; }
    [[nodiscard]] constexpr std::size_t rows() const { return rows_; }
    [[nodiscard]] constexpr std::size_t cols() const { return cols_; }
    [[nodiscard]] constexpr std::ptrdiff_t row_stride() const { return row_stride_; }
    [[nodiscard]] constexpr std::ptrdiff_t col_stride() const { return col_stride_; }
    [[nodiscard]] constexpr bool empty() const { return rows_ == 0 || cols_ == 0; }

    // Unchecked: i < rows(), j < cols().
    [[nodiscard]] constexpr T& operator()(std::size_t i, std::size_t j) const {
        return data_[static_cast<std::ptrdiff_t>(i) * row_stride_ +
                     static_cast<std::ptrdiff_t>(j) * col_stride_];
    }

    // The rows x cols block whose first element is (i, j). Unchecked.
    [[nodiscard]] constexpr matrix_view block(std::size_t i, std::size_t j, std::size_t rows,
                                              std::size_t cols) const {
        if (rows == 0 || cols == 0) return {data_, rows, cols, row_stride_, col_stride_};
        return {&(*this)(i, j), rows, cols, row_stride_, col_stride_};
    }

  private:
    T* data_ = nullptr;
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::ptrdiff_t row_stride_ = 0;
    std::ptrdiff_t col_stride_ = 1;
};

// Column-major with leading dimension ld >= rows, as in BLAS.
template <class T>
[[nodiscard]] constexpr matrix_view<T> column_major(T* data, std::size_t rows, std::size_t cols,
                                                    std::size_t ld) {
    return {data, rows, cols, 1, static_cast<std::ptrdiff_t>(ld)};
}

// Whether elements are what is in memory. Those of std::linalg::scaled are not: its accessor
// multiplies them as they are read and returns values instead of references.
template <class M>
concept gives_references = !requires {
    typename M::reference;
}
|| std::same_as<typename M::reference, typename M::element_type&>;

// The interface of a std::mdspan of rank 2 with strides and plain pointers.
template <class M>
concept mdspan_like = gives_references<M> && requires(const M& m) {
    typename M::element_type;
    requires M::rank()
    == 2;
    { m.extent(0) } -> std::convertible_to<std::size_t>;
    { m.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
    { m.data_handle() } -> std::convertible_to<typename M::element_type*>;
};

// An owning row-major matrix, zero-filled. Throws carat::error if rows x cols overflows or does not
// fit in memory.
template <class T>
class matrix {
  public:
    using element_type = T;
    using value_type = T;

    matrix() = default;
    matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(elements()) {}

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t cols() const { return cols_; }
    [[nodiscard]] T* data() { return data_.data(); }
    [[nodiscard]] const T* data() const { return data_.data(); }
    [[nodiscard]] T& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
    [[nodiscard]] const T& operator()(std::size_t i, std::size_t j) const {
        return data_[i * cols_ + j];
    }
    [[nodiscard]] matrix_view<T> view() { return {data_.data(), rows_, cols_}; }
    [[nodiscard]] matrix_view<const T> view() const { return {data_.data(), rows_, cols_}; }

  private:
    [[nodiscard]] std::vector<T> elements() const {
        const std::string size = std::to_string(rows_) + " x " + std::to_string(cols_);
        if (cols_ != 0 && rows_ > std::numeric_limits<std::size_t>::max() / sizeof(T) / cols_)
            throw error(error_code::overflow, "matrix: " + size + " elements overflow 64 bits");
        try {
            return std::vector<T>(rows_ * cols_);
        } catch (const std::exception&) {
            throw error(error_code::out_of_memory, "matrix: no memory for " + size + " elements");
        }
    }

    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::vector<T> data_;
};

// Converts everything that a product accepts to a matrix_view, member by member: a whole copy of
// one that was just written waits for its words to reach the cache, 36 ns of a call of 5 x 6 x 5.
template <class T>
[[nodiscard]] constexpr matrix_view<T> view_of(const matrix_view<T>& view) {
    return {view.data(), view.rows(), view.cols(), view.row_stride(), view.col_stride()};
}
template <class T>
[[nodiscard]] matrix_view<T> view_of(matrix<T>& m) {
    return m.view();
}
template <class T>
[[nodiscard]] matrix_view<const T> view_of(const matrix<T>& m) {
    return m.view();
}
template <mdspan_like M>
[[nodiscard]] constexpr auto view_of(const M& m) {
    using index = std::size_t;
    using stride = std::ptrdiff_t;
    return matrix_view<typename M::element_type>(
        m.data_handle(), static_cast<index>(m.extent(0)), static_cast<index>(m.extent(1)),
        static_cast<stride>(m.stride(0)), static_cast<stride>(m.stride(1)));
}

template <class M>
concept matrix_like = requires(M& m) {
    view_of(m);
};

// The transpose: the same elements, strides exchanged.
template <matrix_like M>
[[nodiscard]] constexpr auto transposed(M&& m) {
    const auto v = view_of(m);
    using view = std::remove_const_t<decltype(v)>;
    return view(v.data(), v.cols(), v.rows(), v.col_stride(), v.row_stride());
}

// factor times a matrix, multiplied on the fly by the product that reads it (std::linalg::scaled).
template <class T>
struct scaled_view {
    double factor;  // exact for every element type; rounded once, to the type computed in
    matrix_view<T> matrix;
};

template <matrix_like M>
[[nodiscard]] constexpr auto scaled(double factor, M&& m) {
    using element_type = typename decltype(view_of(m))::element_type;
    return scaled_view<element_type>{factor, view_of(m)};
}

// fp8 with an f32 scale for each block of elements, by which a product on a GPU multiplies: for A,
// one for each row and each 128 columns; for B, one for each 128 x 128; the last blocks may be
// smaller. `scales` is a matrix of them: M x ceil(K / 128) for an A of M x K, ceil(K / 128) x
// ceil(N / 128) for a B of K x N.
template <class T>
struct block_scaled_view {
    double factor;
    matrix_view<T> matrix;
    matrix_view<const float> scales;
};

template <matrix_like M, matrix_like S>
[[nodiscard]] constexpr auto scaled_by_blocks(M&& m, S&& scales) {
    const auto v = view_of(m);
    using element_type = typename decltype(v)::element_type;
    return block_scaled_view<element_type>{1, v, view_of(scales)};
}

// Scaling and transposing may be combined in any order.
template <class T>
[[nodiscard]] constexpr scaled_view<T> transposed(const scaled_view<T>& s) {
    return {s.factor, transposed(s.matrix)};
}
template <class T>
[[nodiscard]] constexpr scaled_view<T> scaled(double factor, const scaled_view<T>& s) {
    return {factor * s.factor, s.matrix};
}
template <class T>
[[nodiscard]] constexpr block_scaled_view<T> transposed(const block_scaled_view<T>& s) {
    return {s.factor, transposed(s.matrix), transposed(s.scales)};
}
template <class T>
[[nodiscard]] constexpr block_scaled_view<T> scaled(double factor, const block_scaled_view<T>& s) {
    return {factor * s.factor, s.matrix, s.scales};
}

}  // namespace carat
