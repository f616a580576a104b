// Triangles of order up to 32 times B, 32 columns of B at a time. The columns are copied so that a
// row of them is a few vector registers; row i sums over the rows before it (below it, for upper
// triangles) in registers, and every column has the same operations.
#include "abi/blas/level3/diagonal.hpp"

namespace carat::blas::CARAT_ISA {

namespace {

constexpr std::size_t width = 32;

template <class T>
struct block {
    alignas(64) T rows[diagonal_order][width];
};

template <class T>
void load(block<T>& to, const strided<T>& b, std::size_t rows, std::size_t first,
          std::size_t cols) {
    for (std::size_t j = 0; j < cols; ++j) {
        const T* from = b.data + static_cast<std::ptrdiff_t>(first + j) * b.col_stride;
        for (std::size_t i = 0; i < rows; ++i)
            to.rows[i][j] = from[static_cast<std::ptrdiff_t>(i) * b.row_stride];
    }
    // Missing columns take part in the computation, so they must hold numbers, and are never
    // stored.
    for (std::size_t i = 0; cols < width && i < rows; ++i)
        for (std::size_t j = cols; j < width; ++j) to.rows[i][j] = 0;
}

template <class T>
void store(const block<T>& from, const strided<T>& b, std::size_t rows, std::size_t first,
           std::size_t cols) {
    for (std::size_t j = 0; j < cols; ++j) {
        T* to = b.data + static_cast<std::ptrdiff_t>(first + j) * b.col_stride;
        for (std::size_t i = 0; i < rows; ++i)
            to[static_cast<std::ptrdiff_t>(i) * b.row_stride] = from.rows[i][j];
    }
}

// Row i of the triangle without its diagonal: columns [first, last).
struct reach {
    std::size_t first;
    std::size_t last;
};

template <class T>
reach beside(const small_triangle<T>& t, std::size_t i) {
    return t.lower ? reach{0, i} : reach{i + 1, t.order};
}

template <class T>
T element(const small_triangle<T>& t, std::size_t i, std::size_t j) {
    return t.elements.data[static_cast<std::ptrdiff_t>(i) * t.elements.row_stride +
                           static_cast<std::ptrdiff_t>(j) * t.elements.col_stride];
}

enum class sign { plus, minus };

// sum = sum +- (row i of T beside its diagonal) X
template <sign S, class T>
void add_beside(const small_triangle<T>& t, std::size_t i, const block<T>& x, T* sum) {
    T own[width];
    for (std::size_t j = 0; j < width; ++j) own[j] = sum[j];
    const reach columns = beside(t, i);
    for (std::size_t p = columns.first; p < columns.last; ++p) {
        const T a = S == sign::plus ? element(t, i, p) : -element(t, i, p);
        for (std::size_t j = 0; j < width; ++j) own[j] += a * x.rows[p][j];
    }
    for (std::size_t j = 0; j < width; ++j) sum[j] = own[j];
}

template <class T>
void multiply_block(const small_triangle<T>& t, block<T>& x) {
    for (std::size_t step = 0; step < t.order; ++step) {
        const std::size_t i = t.lower ? t.order - 1 - step : step;
        if (!t.unit) {
            const T diagonal = element(t, i, i);
            for (std::size_t j = 0; j < width; ++j) x.rows[i][j] *= diagonal;
        }
        add_beside<sign::plus>(t, i, x, x.rows[i]);
    }
}

template <class T>
void solve_block(const small_triangle<T>& t, block<T>& x) {
    for (std::size_t step = 0; step < t.order; ++step) {
        const std::size_t i = t.lower ? step : t.order - 1 - step;
        add_beside<sign::minus>(t, i, x, x.rows[i]);
        if (t.unit) continue;
        const T diagonal = element(t, i, i);
        for (std::size_t j = 0; j < width; ++j) x.rows[i][j] /= diagonal;
    }
}

template <class T, void (*OnBlock)(const small_triangle<T>&, block<T>&)>
void for_each_block(const small_triangle<T>& t, strided<T> b, std::size_t cols) {
    block<T> x;
    for (std::size_t first = 0; first < cols; first += width) {
        const std::size_t count = cols - first < width ? cols - first : width;
        load(x, b, t.order, first, count);
        OnBlock(t, x);
        store(x, b, t.order, first, count);
    }
}

template <class T>
constexpr diagonal_functions<T> functions() {
    return {&for_each_block<T, &multiply_block<T>>, &for_each_block<T, &solve_block<T>>};
}

}  // namespace

extern const diagonal_set diagonal;
constinit const diagonal_set diagonal = {functions<float>(), functions<double>()};

}  // namespace carat::blas::CARAT_ISA
