#include "abi/blas/level3/product.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <carat/carat.hpp>

#include "abi/blas/level3/threads.hpp"

namespace carat::blas {

namespace {

template <class T>
void scale_lines(T beta, view<T> c) {
    for (std::size_t j = 0; j < c.cols(); ++j) {
        if (beta == 0) {
            for (std::size_t i = 0; i < c.rows(); ++i) c(i, j) = 0;
        } else {
            for (std::size_t i = 0; i < c.rows(); ++i) c(i, j) *= beta;
        }
    }
}

template <class T>
void multiply_by_parts(T alpha, view<const T> a, view<const T> b, T beta, view<T> c) noexcept;

// Builds the public call's view in place, since copying structures that were just written took a
// fifth of a call at n = 8.
template <class T>
detail::erased_matrix erased(const view<T>& m, double factor) {
    return {const_cast<std::remove_const_t<T>*>(m.data()),
            m.rows(),
            m.cols(),
            m.row_stride(),
            m.col_stride(),
            dtype_of_v<std::remove_const_t<T>>,
            factor};
}

template <class T>
matrix<T> own_matrix(std::size_t rows, std::size_t cols) {
    try {
        return matrix<T>(rows, cols);
    } catch (const std::exception&) {
        give_up("no memory for a copy of C, which overlaps A or B");
    }
}

// Multiplies into a copy if C overlaps A or B.
template <class T>
void multiply_apart(T alpha, view<const T> a, view<const T> b, T beta, view<T> c) {
    matrix<T> result = own_matrix<T>(c.rows(), c.cols());
    const auto copy = [&](view<const T> from, view<T> to) {
        for (std::size_t j = 0; j < c.cols(); ++j)
            for (std::size_t i = 0; i < c.rows(); ++i) to(i, j) = from(i, j);
    };
    if (beta != 0) copy(c, result.view());
    multiply<T>(alpha, a, b, beta, result.view());
    copy(result.view(), c);
}

// Halves the product if there is no memory for packing, until the parts need none.
template <class T>
void multiply_by_parts(T alpha, view<const T> a, view<const T> b, T beta, view<T> c) noexcept {
    const std::size_t largest = std::max({c.rows(), c.cols(), a.cols()});
    if (largest < 32) give_up("no memory");
    const std::size_t half = largest / 2;
    if (largest == c.rows()) {
        multiply(alpha, a.block(0, 0, half, a.cols()), b, beta, c.block(0, 0, half, c.cols()));
        multiply(alpha, a.block(half, 0, a.rows() - half, a.cols()), b, beta,
                 c.block(half, 0, c.rows() - half, c.cols()));
    } else if (largest == c.cols()) {
        multiply(alpha, a, b.block(0, 0, b.rows(), half), beta, c.block(0, 0, c.rows(), half));
        multiply(alpha, a, b.block(0, half, b.rows(), b.cols() - half), beta,
                 c.block(0, half, c.rows(), c.cols() - half));
    } else {
        multiply(alpha, a.block(0, 0, a.rows(), half), b.block(0, 0, half, b.cols()), beta, c);
        multiply(alpha, a.block(0, half, a.rows(), a.cols() - half),
                 b.block(half, 0, b.rows() - half, b.cols()), T{1}, c);
    }
}

}  // namespace

void give_up(const char* why) {
    std::fprintf(stderr, "carat_blas: %s\n", why);
    std::abort();
}

template <class T>
void scale(T beta, view<T> c) {
    if (beta == 1) return;
    scale_lines(beta, c.row_stride() == 1 ? c : transposed(c));
}

template <class T>
void multiply(T alpha, const view<const T>& a, const view<const T>& b, T beta,
              const view<T>& c) noexcept {
    if (c.empty()) return;
    if (alpha == 0 || a.cols() == 0) return scale(beta, c);
    try {
        const detail::erased_matrix added = erased(c, static_cast<double>(beta));
        // No plan has two threads below this (a test of the plan checks it), and finding the limit
        // costs 2 to 9 % of a product of 32 x 32 matrices.
        constexpr double least_shared = 1 << 18;
        const bool small = static_cast<double>(c.rows()) * static_cast<double>(c.cols()) *
                               static_cast<double>(a.cols()) <
                           least_shared;
        detail::multiply(cpu{small ? 1 : thread_limit()}, erased(a, static_cast<double>(alpha)),
                         erased(b, 1), &added, erased(c, 1));
    } catch (const error& why) {
        if (why.code() == error_code::out_of_memory) return multiply_by_parts(alpha, a, b, beta, c);
        if (why.code() != error_code::aliasing) give_up(why.what());
        multiply_apart(alpha, a, b, beta, c);
    }
}

template <class T>
void multiply_part(T alpha, const view<const T>& a, const view<const T>& b, T beta,
                   const view<T>& c, const api::part_of_c& part) noexcept {
    const view<T> own = c.block(part.row, part.col, part.rows, part.cols);
    if (own.empty()) return;
    if (alpha == 0 || a.cols() == 0) return scale(beta, own);
    try {
        api::multiply_part(erased(a, static_cast<double>(alpha)), erased(b, 1),
                           erased(c, static_cast<double>(beta)), erased(c, 1), part);
    } catch (const std::exception&) {  // for want of memory, or because C overlaps an operand
        multiply<T>(alpha, a.block(part.row, 0, part.rows, a.cols()),
                    b.block(0, part.col, b.rows(), part.cols), beta, own);
    }
}

template void scale(float, view<float>);
template void scale(double, view<double>);
template void multiply(float, const view<const float>&, const view<const float>&, float,
                       const view<float>&) noexcept;
template void multiply(double, const view<const double>&, const view<const double>&, double,
                       const view<double>&) noexcept;
template void multiply_part(float, const view<const float>&, const view<const float>&, float,
                            const view<float>&, const api::part_of_c&) noexcept;
template void multiply_part(double, const view<const double>&, const view<const double>&, double,
                            const view<double>&, const api::part_of_c&) noexcept;

}  // namespace carat::blas
