// Matrices as a caller stores them, with marked bytes wherever nothing may change.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "interface.hpp"

namespace carat::blas::tested {

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

// rows x cols, column- or row-major, with a leading dimension beyond the minimum. NaN lies between
// the lines, so that reading it shows in the result.
template <class T>
class stored {
  public:
    stored(language in, std::size_t rows, std::size_t cols, std::size_t padding = 3)
        : rows_(rows),
          cols_(cols),
          by_rows_(in == language::cblas_by_rows),
          ld_((by_rows_ ? cols : rows) + padding + (rows == 0 || cols == 0)),
          data_(ld_ * ((by_rows_ ? rows : cols) + 1), nan_of<T>) {}

    T& operator()(std::size_t i, std::size_t j) { return data_[at(i, j)]; }
    const T& operator()(std::size_t i, std::size_t j) const { return data_[at(i, j)]; }
    [[nodiscard]] T* data() { return data_.data(); }
    [[nodiscard]] const T* data() const { return data_.data(); }
    [[nodiscard]] integer ld() const { return static_cast<integer>(ld_); }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t cols() const { return cols_; }

    // Numbers between -1 and 1 wherever `wanted(i, j)`.
    template <class Wanted>
    void fill(std::mt19937& random, const Wanted& wanted) {
        std::uniform_real_distribution<T> numbers(-1, 1);
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t j = 0; j < cols_; ++j)
                if (wanted(i, j)) (*this)(i, j) = numbers(random);
    }
    void fill(std::mt19937& random) {
        fill(random, [](std::size_t, std::size_t) { return true; });
    }

    // Whether all bytes agree with `before` except for the elements that `written(i, j)` names.
    template <class Written>
    [[nodiscard]] bool untouched(stored before, const Written& written) const {
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t j = 0; j < cols_; ++j)
                if (written(i, j)) before(i, j) = (*this)(i, j);
        return std::memcmp(before.data_.data(), data_.data(), data_.size() * sizeof(T)) == 0;
    }

  private:
    [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const {
        return by_rows_ ? i * ld_ + j : j * ld_ + i;
    }

    std::size_t rows_;
    std::size_t cols_;
    bool by_rows_;
    std::size_t ld_;
    std::vector<T> data_;
};

// A sum and the error that rounding may cause, collected in long double.
struct sum {
    long double value = 0;
    long double magnitude = 0;
    std::size_t terms = 0;

    void add(long double x) {
        value += x;
        magnitude += std::abs(x);
        ++terms;
    }
    // |got - value| <= gamma of a few more operations in T than there are terms.
    template <class T>
    [[nodiscard]] bool agrees(long double got) const {
        const long double unit = std::numeric_limits<T>::epsilon() / 2;
        const long double bound =
            static_cast<long double>(terms + 6) * unit * magnitude + std::numeric_limits<T>::min();
        return std::abs(got - value) <= bound;
    }
};

inline bool in_triangle(char uplo, std::size_t i, std::size_t j) {
    return uplo == 'L' ? i >= j : i <= j;
}

// (i, j) of op(X).
template <class T>
long double element(const stored<T>& x, char trans, std::size_t i, std::size_t j) {
    return trans == 'N' ? x(i, j) : x(j, i);
}

}  // namespace carat::blas::tested
