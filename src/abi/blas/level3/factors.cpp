#include "abi/blas/level3/factors.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "abi/blas/level3/shares.hpp"

namespace carat::blas {

namespace {

// An eighth of the exponents at either end is left for sums and for the other operand.
template <class T>
constexpr int lowest = std::numeric_limits<T>::min_exponent / 8;
template <class T>
constexpr int highest = std::numeric_limits<T>::max_exponent * 7 / 8;

// Several elements of a column at a time, as a maximum of one after the other would wait for each
// comparison.
template <class T>
T largest_in_columns(const view<const T>& x) {
    constexpr std::size_t lanes = 16;
    std::array<T, lanes> most{};
    const auto take = [&](T value, T& in) {
        const T size = std::abs(value);
        in = size <= std::numeric_limits<T>::max() && size > in ? size : in;
    };
    for (std::size_t j = 0; j < x.cols(); ++j) {
        std::size_t i = 0;
        const T* const column = &x(0, j);
        if (x.row_stride() == 1)
            for (; i + lanes <= x.rows(); i += lanes)
                for (std::size_t lane = 0; lane < lanes; ++lane) take(column[i + lane], most[lane]);
        for (; i < x.rows(); ++i) take(x(i, j), most[0]);
    }
    return *std::ranges::max_element(most);
}

template <class T>
T largest_by(int threads, const view<const T>& x) {
    std::atomic<T> most = 0;
    for_each_stretch(threads, x.cols(), [&](const columns& of, int) {
        const T here = largest<T>(x.block(0, of.first, x.rows(), of.count));
        T known = most.load();
        while (known < here && !most.compare_exchange_weak(known, here)) {
        }
    });
    return most.load();
}

// The same as ilogb, which would need libm.
template <class T>
int exponent_of(T x) {
    int exponent = 0;
    (void)std::frexp(x, &exponent);
    return exponent - 1;
}

// 2^exponent before, the rest after.
template <class T>
split_factor<T> cut(T alpha, int exponent) {
    const T first = std::scalbn(T{1}, exponent);
    return {first, alpha / first};
}

}  // namespace

template <class T>
split_factor<T> split_before(T alpha, const view<T>& b, int threads) {
    if (std::abs(alpha) == 1 || !std::isfinite(alpha)) return {alpha, 1};
    const T most = largest_by<T>(threads, b);
    if (most == 0) return {alpha, 1};
    const int of_b = exponent_of(most);
    const int of_alpha = exponent_of(alpha);
    const int of_first = std::abs(alpha) < 1 ? std::max(of_alpha, std::min(0, lowest<T> - of_b))
                                             : std::min(of_alpha, std::max(0, highest<T> - of_b));
    return of_first == of_alpha ? split_factor<T>{alpha, 1} : cut(alpha, of_first);
}

template <class T>
split_factor<T> split_after(T alpha, T largest_of_a, T largest_of_b, std::size_t depth) {
    if (!std::isfinite(alpha) || largest_of_a == 0 || largest_of_b == 0) return {1, alpha};
    const int of_a = exponent_of(largest_of_a);
    const int of_alpha = exponent_of(alpha);
    const int of_sum = of_a + exponent_of(largest_of_b) + exponent_of(static_cast<T>(depth)) + 3;
    // If A B would overflow, just enough to avoid it; if it would be subnormal, much more, as far
    // as A allows.
    const int of_first =
        std::abs(alpha) < 1
            ? std::max(of_alpha, std::min(0, std::numeric_limits<T>::max_exponent - 1 - of_sum))
            : std::min(of_alpha, std::clamp(lowest<T> - of_sum, 0, std::max(0, highest<T> - of_a)));
    return of_first == 0 ? split_factor<T>{1, alpha} : cut(alpha, of_first);
}

template <class T>
bool is_far_from_one(T alpha) {
    constexpr T far = 1 << 16;
    return alpha != 0 && (std::abs(alpha) >= far || std::abs(alpha) <= 1 / far);
}

template <class T>
T largest(const view<const T>& x) {
    return largest_in_columns<T>(x.row_stride() == 1 ? x : transposed(x));
}

template <class T>
T largest(const triangle<T>& x) {
    T most = 0;
    const std::size_t n = x.order();
    for (std::size_t j = 0; j < n; ++j) {
        const std::size_t first = x.lower ? j : 0;
        const std::size_t count = x.lower ? n - j : j + 1;
        most = std::max(most, largest_in_columns<T>(x.elements.block(first, j, count, 1)));
    }
    return most;
}

template split_factor<float> split_before(float, const view<float>&, int);
template split_factor<double> split_before(double, const view<double>&, int);
template split_factor<float> split_after(float, float, float, std::size_t);
template split_factor<double> split_after(double, double, double, std::size_t);
template bool is_far_from_one(float);
template bool is_far_from_one(double);
template float largest(const view<const float>&);
template double largest(const view<const double>&);
template float largest(const triangle<float>&);
template double largest(const triangle<double>&);

}  // namespace carat::blas
