// A product of whole numbers on a GPU, of any types, layouts, factors and place of E, and what it
// must be, exactly.
#pragma once

#include <array>

#include "tests/gpu_call/device.hpp"

namespace carat::test {

inline strides layout(std::size_t rows, std::size_t cols, unsigned kind) {
    const auto r = static_cast<std::ptrdiff_t>(rows);
    const auto c = static_cast<std::ptrdiff_t>(cols);
    switch (kind % 6) {
        case 0:
            return {c, 1};
        case 1:
            return {1, r};
        case 2:
            return {(c + 31) / 16 * 16, 1};  // padded, aligned
        case 3:
            return {1, r + 3};
        case 4:
            return {3 * c + 2, 3};  // neither direction is contiguous
        default:
            return {-c - 5, 1};
    }
}

// C may not run backward in every test, since few programs do.
inline strides layout_of_c(std::size_t rows, std::size_t cols, unsigned kind) {
    return layout(rows, cols, kind % 5);
}

struct shape {
    std::size_t m, n, k;
};
inline constexpr shape shapes[] = {{1, 1, 1},      {8, 8, 8},      {17, 1, 3},     {1, 300, 64},
                                   {33, 31, 65},   {64, 64, 64},   {130, 126, 33}, {129, 257, 16},
                                   {256, 128, 48}, {5, 200, 1100}, {200, 5, 1100}, {300, 520, 72},
                                   {3, 5, 0},      {512, 640, 128}};

enum class e_is { absent, c, like_c, elsewhere };

template <class T>
void fill_if(mirrored<T>& m, bool read, char operand) {
    if (read)
        m.fill_whole(static_cast<unsigned>(operand));
    else
        m.upload();
}

// Rounds as a product does when it stores: fp8 saturates.
template <class O>
O rounded(double x) {
    if constexpr (requires { O::saturated(x); })
        return O::saturated(x);
    else
        return O(x);
}

// A times B of the type J, which has `columns` columns for each of C.
template <class I, class O, class J = I>
struct one_product {
    shape s;
    std::size_t columns;
    mirrored<I> a;
    mirrored<J> b;
    mirrored<O> c, e;
    e_is which;
    double alpha, beta;

    one_product(const shape& of, unsigned count, std::size_t columns_for_one = 1)
        : s(of),
          columns(columns_for_one),
          a(s.m, s.k, layout(s.m, s.k, count), count % 7 == 0 ? 1 : 0),
          b(s.k, columns * s.n, layout(s.k, columns * s.n, count / 2 + 3), count % 5 == 0 ? 1 : 0),
          c(s.m, s.n, layout_of_c(s.m, s.n, count / 3), count % 11 == 0 ? 1 : 0),
          e(s.m, s.n,
            count % 4 == 2 ? layout_of_c(s.m, s.n, count / 3) : layout(s.m, s.n, count + 2),
            count % 13 == 0 ? 1 : 0),
          which(static_cast<e_is>(count % 4)),
          alpha(std::array{1.0, 2.0, -1.0, 0.0, 1.0}[count % 5]),
          beta(which == e_is::absent ? 0 : std::array{1.0, -2.0, 0.0}[count % 3]) {
        // What must not be read is not a number, where the type has one.
        fill_if(a, alpha != 0, 'a');
        fill_if(b, alpha != 0, 'b');
        fill_if(c, which == e_is::c && beta != 0, 'e');
        fill_if(e, beta != 0, 'e');
    }

    template <class... Epilogue>
    void start(const cuda& where, const Epilogue&... last) {
        const auto x = scaled(alpha, a.view());
        if (which == e_is::absent) return matrix_product(where, x, b.view(), c.view(), last...);
        if (which == e_is::c)
            return matrix_product(where, x, b.view(), scaled(beta, c.view()), c.view(), last...);
        matrix_product(where, x, b.view(), scaled(beta, e.view()), c.view(), last...);
    }

    // `epilogue` of a sum at (i, j).
    template <class F>
    std::string check(const F& epilogue, double tolerance = 0) {
        return check_pairs(
            [&](double x, double, std::size_t i, std::size_t j) { return epilogue(x, i, j); },
            tolerance);
    }

    // `epilogue` of the sums at (i, j) and as many columns further as C has.
    template <class F>
    std::string check_pairs(const F& epilogue, double tolerance) {
        c.download();
        if (!c.is_whole_around()) return "memory around C was written";
        const sums& product = whole_sums(s.m, columns * s.n, s.k);
        return wrong_in(
            c.host(),
            [&](std::size_t i, std::size_t j) {
                double x = epilogue(alpha * product(i, j),
                                    alpha * product(i, j + (columns - 1) * s.n), i, j);
                if (beta != 0) x += beta * whole('e', i, j);
                return rounded<O>(x);
            },
            tolerance);
    }

    [[nodiscard]] std::string text() const {
        return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
               " alpha " + std::to_string(alpha) + " beta " + std::to_string(beta) + " E " +
               std::to_string(static_cast<int>(which));
    }
};

// Values of an epilogue on the GPU.
template <class T>
struct line {
    std::vector<T> values;
    test::device_memory memory;

    line(std::size_t count, unsigned kind) : values(count) {
        for (std::size_t i = 0; i < count; ++i)
            values[i] = static_cast<T>(kind == 0 ? (i % 3 == 0 ? -0.5 : 2.0)
                                                 : static_cast<double>(i % 7) - 3);
        memory = test::on_device(values.data(), count * sizeof(T));
    }
    [[nodiscard]] std::span<const T> there() const {
        return {static_cast<const T*>(memory.get()), values.size()};
    }
};

inline double gelu_of(double x) {
    return x / 2 * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

}  // namespace carat::test
