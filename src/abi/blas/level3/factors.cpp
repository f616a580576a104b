#include "abi/blas/level3/factors.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "abi/blas/level3/shares.hpp"

namespace carat::blas {

namespace {

// Of the finite elements, whose columns are contiguous. Several at a time: a maximum of one after
// the other would wait for each comparison.
template <class T>
T largest_in_columns(const view<T>& b) {
    constexpr std::size_t lanes = 16;
    std::array<T, lanes> most{};
    const auto take = [&](T x, T& in) {
        const T size = std::abs(x);
        in = size <= std::numeric_limits<T>::max() && size > in ? size : in;
    };
    for (std::size_t j = 0; j < b.cols(); ++j) {
        std::size_t i = 0;
        const T* const column = &b(0, j);
        if (b.row_stride() == 1)
            for (; i + lanes <= b.rows(); i += lanes)
                for (std::size_t lane = 0; lane < lanes; ++lane) take(column[i + lane], most[lane]);
        for (; i < b.rows(); ++i) take(b(i, j), most[0]);
    }
    return *std::ranges::max_element(most);
}

template <class T>
T largest(const view<T>& b, int threads) {
    std::atomic<T> most = 0;
    for_each_stretch(threads, b.cols(), [&](const columns& of, int) {
        const view<T> own = b.block(0, of.first, b.rows(), of.count);
        const T here = largest_in_columns(own.row_stride() == 1 ? own : transposed(own));
        T known = most.load();
        while (known < here && !most.compare_exchange_weak(known, here)) {
        }
    });
    return most.load();
}

// As ilogb, for which the C library has to have libm.
template <class T>
int exponent_of(T x) {
    int exponent = 0;
    (void)std::frexp(x, &exponent);
    return exponent - 1;
}

}  // namespace

template <class T>
factors_of_b<T> split_factor(T alpha, const view<T>& b, int threads) {
    if (std::abs(alpha) == 1 || !std::isfinite(alpha)) return {alpha, 1};
    const T most = largest(b, threads);
    if (most == 0) return {alpha, 1};
    // An eighth of the exponents at either end are left for sums and for what T does.
    constexpr int lowest = std::numeric_limits<T>::min_exponent / 8;
    constexpr int highest = std::numeric_limits<T>::max_exponent * 7 / 8;
    const int of_b = exponent_of(most);
    const int of_alpha = exponent_of(alpha);
    const int of_first = std::abs(alpha) < 1 ? std::max(of_alpha, std::min(0, lowest - of_b))
                                             : std::min(of_alpha, std::max(0, highest - of_b));
    if (of_first == of_alpha) return {alpha, 1};
    const T first = std::scalbn(T{1}, of_first);
    return {first, alpha / first};
}

template factors_of_b<float> split_factor(float, const view<float>&, int);
template factors_of_b<double> split_factor(double, const view<double>&, int);

}  // namespace carat::blas
