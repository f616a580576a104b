#include "distributed/host_place.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include <carat/error.hpp>
#include <carat/sums.hpp>

namespace carat::distributed {

namespace {

// Its (i, j) of element type T.
template <class T>
T& at(const block& of, std::size_t i, std::size_t j) {
    return static_cast<T*>(of.data)[static_cast<std::ptrdiff_t>(i) * of.row_stride +
                                    static_cast<std::ptrdiff_t>(j) * of.col_stride];
}

// Rows last where columns are what is contiguous.
bool runs_by_columns(const block& of) {
    return of.col_stride != 1 && of.row_stride == 1;
}

template <class T>
void copy_elements(const block& to, const block& from) {
    const bool lines = to.col_stride == 1 && from.col_stride == 1;
    for (std::size_t i = 0; i < to.rows; ++i) {
        if (lines && to.cols > 0)
            std::memcpy(&at<T>(to, i, 0), &at<T>(from, i, 0), to.cols * sizeof(T));
        else
            for (std::size_t j = 0; j < to.cols; ++j) at<T>(to, i, j) = at<T>(from, i, j);
    }
}

template <class Sum, class Part>
void add_elements(const block& sums, const block& part) {
    for (std::size_t i = 0; i < sums.rows; ++i)
        for (std::size_t j = 0; j < sums.cols; ++j) at<Sum>(sums, i, j) += at<Part>(part, i, j);
}

template <class Sum, class C>
void finish_elements(const block& to, const block& sums, double alpha, double beta,
                     const block& c) {
    for (std::size_t i = 0; i < to.rows; ++i)
        for (std::size_t j = 0; j < to.cols; ++j) {
            const double sum = alpha * static_cast<double>(at<Sum>(sums, i, j));
            at<C>(to, i, j) =
                C(beta == 0 ? sum + 0.0 : sum + beta * static_cast<double>(at<C>(c, i, j)));
        }
}

using whole = std::int64_t;

// alpha sum + beta c, or nothing if it does not fit in 32 bits. Factors are whole numbers.
bool exact(whole sum, double alpha, double beta, std::int32_t c, std::int32_t& result) {
    whole of_sum = 0, all = 0;
    const double of_c = beta * static_cast<double>(c);
    if (std::abs(alpha) > 0x1p62 || std::abs(of_c) > 0x1p62) return sum == 0 && of_c == 0;
    if (__builtin_mul_overflow(static_cast<whole>(alpha), sum, &of_sum) ||
        __builtin_add_overflow(of_sum, static_cast<whole>(of_c), &all))
        return false;
    result = static_cast<std::int32_t>(all);
    return all >= std::numeric_limits<std::int32_t>::min() &&
           all <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

std::unique_ptr<place> host(int threads) {
    return std::make_unique<host_place>(threads);
}

void* host_place::allocate(std::size_t bytes) {
    if (void* found = ::operator new (bytes, std::align_val_t{64}, std::nothrow)) return found;
    throw error(error_code::out_of_memory, "distributed product: no memory for a workspace of " +
                                               std::to_string(bytes) + " bytes: use more ranks");
}

void host_place::release(void* memory) noexcept {
    ::operator delete (memory, std::align_val_t{64});
}

void host_place::copy(const block& to, const block& from) {
    if (runs_by_columns(to) && runs_by_columns(from)) return copy(transposed(to), transposed(from));
    switch (size_bytes(to.type)) {
        case 1:
            return copy_elements<std::uint8_t>(to, from);
        case 2:
            return copy_elements<std::uint16_t>(to, from);
        case 4:
            return copy_elements<std::uint32_t>(to, from);
        default:
            return copy_elements<std::uint64_t>(to, from);
    }
}

void host_place::multiply(const block& a, const block& b, const block* e, const block& c,
                          const ending& last) {
    const cpu where{.threads = threads_};
    if (last.steps == nullptr) return carat::detail::multiply(where, a, b, e, c);
    carat::detail::multiply_with_epilogue(where, a, b, e, c, steps_of(last, a, c));
}

void host_place::clear(const block& sums) {
    if (sums.data != nullptr)
        std::memset(sums.data, 0, sums.rows * sums.cols * bytes_of_sum(sums.type));
}

void host_place::add(const block& sums, const block& part) {
    if (runs_by_columns(sums)) return add(transposed(sums), transposed(part));
    switch (part.type) {
        case dtype::f64:
            return add_elements<double, double>(sums, part);
        case dtype::f32:
            return add_elements<float, float>(sums, part);
        default:
            return add_elements<whole, std::int32_t>(sums, part);
    }
}

bool host_place::fits(const block& sums, double alpha, double beta, const block& c) {
    if (c.type != dtype::i32) return true;
    std::int32_t result = 0;
    for (std::size_t i = 0; i < sums.rows; ++i)
        for (std::size_t j = 0; j < sums.cols; ++j)
            if (!exact(at<whole>(sums, i, j), alpha, beta,
                       beta == 0 ? 0 : at<std::int32_t>(c, i, j), result))
                return false;
    return true;
}

void host_place::finish(const block& to, const block& sums, std::span<const block> parts,
                        double alpha, double beta, const block& c) {
    for (const block& part : parts) add(sums, part);
    if (runs_by_columns(to))
        return finish(transposed(to), transposed(sums), {}, alpha, beta, transposed(c));
    switch (to.type) {
        case dtype::f64:
            return finish_elements<double, double>(to, sums, alpha, beta, c);
        case dtype::f32:
            return finish_elements<float, float>(to, sums, alpha, beta, c);
        case dtype::f16:
            return finish_elements<float, f16>(to, sums, alpha, beta, c);
        case dtype::bf16:
            return finish_elements<float, bf16>(to, sums, alpha, beta, c);
        default:
            break;
    }
    for (std::size_t i = 0; i < to.rows; ++i)
        for (std::size_t j = 0; j < to.cols; ++j) {
            std::int32_t result = 0;
            exact(at<whole>(sums, i, j), alpha, beta, beta == 0 ? 0 : at<std::int32_t>(c, i, j),
                  result);
            at<std::int32_t>(to, i, j) = result;
        }
}

void host_place::finish(const block& to, const block& sums, double beta, const block& c,
                        const ending& last) {
    block e = c;
    e.factor = beta;
    carat::detail::multiply_sums(cpu{.threads = threads_}, sums, beta == 0 ? nullptr : &e, to,
                                 *last.steps, static_cast<std::size_t>(last.row),
                                 static_cast<std::size_t>(last.col));
}

}  // namespace carat::distributed
