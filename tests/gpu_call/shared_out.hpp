// Products that divide one matrix by ends on the GPU: experts that take rows of x, the gradients of
// their weights, and the exact results.
#pragma once

#include <functional>
#include <numeric>
#include <utility>

#include "tests/gpu_call/one_product.hpp"

namespace carat::test {

using ends_of_products = std::vector<std::int32_t>;

inline ends_of_products ends_of(const std::vector<int>& rows) {
    ends_of_products ends(rows.size());
    std::partial_sum(rows.begin(), rows.end(), ends.begin());
    return ends;
}

struct on_gpu {
    device_memory memory;
    std::size_t count;

    explicit on_gpu(const ends_of_products& ends)
        : memory(on_device(ends.data(), ends.size() * sizeof(std::int32_t))), count(ends.size()) {}
    [[nodiscard]] const std::int32_t* get() const {
        return static_cast<const std::int32_t*>(memory.get());
    }
    void become(const ends_of_products& ends) const {
        copy_there(memory.get(), ends.data(), ends.size() * sizeof(std::int32_t));
    }
};

// The first and last line of `total` for each product, as the header defines them for any ends.
inline std::vector<std::pair<std::size_t, std::size_t>> parts_of(const ends_of_products& ends,
                                                                 std::size_t total) {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    std::int64_t first = 0;
    for (const std::int64_t given : ends) {
        const std::int64_t end = std::max(first, std::min(given, static_cast<std::int64_t>(total)));
        parts.emplace_back(first, end);
        first = end;
    }
    return parts;
}

// The layout of operands: lines that kernels read, or lines that must be packed.
struct lying {
    bool a_turned = false;
    bool b_turned = false;
    bool c_by_columns = false;
    std::ptrdiff_t pad = 16;  // elements to the next line
};

inline strides lines_of(std::size_t rows, std::size_t cols, bool turned, std::ptrdiff_t pad) {
    const auto next = static_cast<std::ptrdiff_t>((turned ? rows : cols) + 15) / 16 * 16 + pad;
    return turned ? strides{1, next} : strides{next, 1};
}

// y's rows = alpha x's rows times w of their product + beta e.
template <class I, class O, class J = I>
struct experts {
    std::size_t total, n, k, count;
    mirrored<I> x;
    mirrored<J> w;
    mirrored<O> y, e;
    lying as;

    experts(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t products,
            const lying& how = {})
        : total(rows),
          n(columns),
          k(depth),
          count(products),
          x(rows, depth, lines_of(rows, depth, how.a_turned, how.pad)),
          w(how.b_turned ? depth : products * depth, how.b_turned ? products * columns : columns,
            lines_of(how.b_turned ? depth : products * depth,
                     how.b_turned ? products * columns : columns, how.b_turned, how.pad)),
          y(rows, columns, lines_of(rows, columns, how.c_by_columns, how.pad)),
          e(rows, columns, lines_of(rows, columns, how.c_by_columns, how.pad)),
          as(how) {
        x.fill_whole('x'), w.fill_whole('w'), e.fill_whole('e');
        y.fill_poison();
    }

    [[nodiscard]] auto weights() {
        const auto first = w.view().block(0, 0, k, n);
        const auto next = as.b_turned ? static_cast<std::ptrdiff_t>(n) * first.col_stride()
                                      : static_cast<std::ptrdiff_t>(k) * first.row_stride();
        return strided(first, count, next);
    }
    // y's rows = x's times w.
    void start(const on_gpu& ends, const cuda& where = {}) {
        matrix_products(where, ragged(x.view(), ends.get(), ends.count), weights(),
                        ragged(y.view(), ends.get(), ends.count));
    }

    std::string check(const ends_of_products& ends, double alpha, double beta,
                      const std::function<double(double, std::size_t)>& epilogue = {}) {
        y.download();
        if (!y.is_whole_around()) return "memory around C was written";
        std::vector<bool> written(total, false);
        const auto parts = parts_of(ends, total);
        for (std::size_t g = 0; g < parts.size(); ++g) {
            const auto [first, end] = parts[g];
            std::fill(written.begin() + std::ptrdiff_t(first),
                      written.begin() + std::ptrdiff_t(end), true);
            const auto w_of =
                as.b_turned ? w.host().block(0, g * n, k, n) : w.host().block(g * k, 0, k, n);
            const sums product(x.host().block(first, 0, end - first, k), w_of);
            const std::string wrong = wrong_in(
                y.host().block(first, 0, end - first, n), [&](std::size_t i, std::size_t j) {
                    double sum = alpha == 0 ? 0 : alpha * product(i, j);
                    if (epilogue) sum = epilogue(sum, j);
                    if (beta != 0) sum += beta * whole('e', first + i, j);
                    return rounded<O>(sum);
                });
            if (!wrong.empty()) return "product " + std::to_string(g) + ": " + wrong;
        }
        for (std::size_t i = 0; i < total; ++i)
            for (std::size_t j = 0; !written[i] && j < n; ++j)
                if (!is_untouched(i, j))
                    return "row " + std::to_string(i) + " is no product's and was written";
        return {};
    }

    // What E is as well.
    experts& begin_as_e() {
        y.fill_whole('e');
        begins_as_e = true;
        return *this;
    }

  private:
    [[nodiscard]] bool is_untouched(std::size_t i, std::size_t j) {
        static mirrored<O> poisoned(1, 1, {1, 1});
        const O before = begins_as_e ? O(whole('e', i, j)) : poisoned.here(0, 0);
        return std::memcmp(&y.here(i, j), &before, sizeof(O)) == 0;
    }

    bool begins_as_e = false;
};

// The gradients of weights: dw = x^T dy of each product's rows, 0 where it has none.
template <class I, class O, class J>
struct gradients {
    std::size_t total, m, n, count;
    mirrored<I> x;
    mirrored<J> dy;
    mirrored<O> dw;

    gradients(std::size_t rows, std::size_t inputs, std::size_t outputs, std::size_t products,
              bool x_turned, bool dy_turned, std::ptrdiff_t pad)
        : total(rows),
          m(inputs),
          n(outputs),
          count(products),
          x(rows, inputs, lines_of(rows, inputs, x_turned, pad)),
          dy(rows, outputs, lines_of(rows, outputs, dy_turned, pad)),
          dw(products * inputs, outputs, lines_of(products * inputs, outputs, false, 16)) {
        x.fill_whole('x'), dy.fill_whole('y');
    }

    // dw = x^T dy, or that + beta dw.
    void start(const on_gpu& ends, const cuda& where = {}, double beta = 0) {
        const auto first = dw.view().block(0, 0, m, n);
        const auto all = strided(first, count, static_cast<std::ptrdiff_t>(m) * first.row_stride());
        const auto of_x = transposed(ragged(x.view(), ends.get(), ends.count));
        const auto of_dy = ragged(dy.view(), ends.get(), ends.count);
        if (beta == 0)
            matrix_products(where, of_x, of_dy, all);
        else
            matrix_products(where, of_x, of_dy, scaled(beta, all), all);
    }

    std::string check(const ends_of_products& ends, double beta) {
        dw.download();
        if (!dw.is_whole_around()) return "memory around C was written";
        const auto parts = parts_of(ends, total);
        for (std::size_t g = 0; g < count; ++g) {
            const auto [first, end] = parts[g];
            const sums product(transposed(x.host().block(first, 0, end - first, m)),
                               dy.host().block(first, 0, end - first, n));
            const std::string wrong =
                wrong_in(dw.host().block(g * m, 0, m, n), [&](std::size_t i, std::size_t j) {
                    const double e = beta == 0 ? 0 : beta * whole('e', g * m + i, j);
                    return rounded<O>(product(i, j) + e);
                });
            if (!wrong.empty()) return "product " + std::to_string(g) + ": " + wrong;
        }
        return {};
    }
};

}  // namespace carat::test
