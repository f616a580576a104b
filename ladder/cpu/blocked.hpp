// What the rows of steps 8 to 15 share on the way to their loops: block sizes from the caches, a
// product whose C lies by rows, and shares of it for threads.
#pragma once

#include <algorithm>
#include <utility>

#include "ladder/cpu/anatomy/caches.hpp"
#include "ladder/cpu/anatomy/dispatch.hpp"
#include "ladder/cpu/step.hpp"

namespace carat::ladder::cpu {

inline constexpr core::tunable block_tunables[] = {
    {"mc", 0, 0, 65536, "rows of the A block, which should fit in L2; 0: from the L2 size"},
    {"kc", 0, 0, 65536, "depth of the blocks: a B sliver should fit in L1; 0: from the L1 size"},
    {"nc", 0, 0, 65536, "columns of the B panel, which should fit in L3; 0: from the L3 size"}};

constexpr std::int64_t rounded_up(std::int64_t size, std::int64_t unit) {
    return (size + unit - 1) / unit * unit;
}

// Two thirds of L1 for a sliver of B, half of L2 for the block of A, half of L3 for the panel of B;
// the rest is left for what streams past.
template <class T>
blocks<T> from_the_caches(const level<T>& l, const core::settings& s) {
    const auto size_of = std::int64_t{sizeof(T)};
    const auto choose = [&](const core::tunable& t, std::int64_t bytes, std::int64_t bytes_each,
                            std::int64_t unit) {
        const std::int64_t fitting = std::max(bytes / bytes_each / unit, std::int64_t{1}) * unit;
        return s.value(t) == 0 ? fitting : s.value(t);
    };
    blocks<T> b = {};
    b.kc = choose(block_tunables[1], caches().l1_bytes * 2 / 3, l.nr * size_of, 8);
    b.mc = choose(block_tunables[0], caches().l2_bytes / 2, b.kc * size_of, l.mr);
    b.nc = choose(block_tunables[2], caches().l3_bytes / 2, b.kc * size_of, l.nr);
    return b;
}

// Whether the product is computed as C^T = B^T A^T, so that the rows of C are contiguous.
[[nodiscard]] inline bool is_turned(const core::layout& c) {
    return c.col_stride != 1 && c.row_stride == 1;
}

template <class T>
[[nodiscard]] product<T> by_rows(bool turned, T alpha, matrix_view<const T> a,
                                 matrix_view<const T> b, matrix_view<T> c) {
    if (turned) {
        std::swap(a, b);
        a = transposed(a);
        b = transposed(b);
        c = transposed(c);
    }
    const auto plain = [](auto v) {
        return strided<std::remove_pointer_t<decltype(v.data())>>{v.data(), v.row_stride(),
                                                                  v.col_stride()};
    };
    const auto extent = [](size_t size) { return static_cast<std::int64_t>(size); };
    return {extent(c.rows()), extent(c.cols()), extent(a.cols()), alpha,
            plain(a),         plain(b),         plain(c)};
}

// Rows `first` ... of C, and of A; columns `first` ... of C, and of B.
template <class Product>
[[nodiscard]] Product rows_of(Product p, std::int64_t first, std::int64_t count) {
    p.m = count;
    p.a.data += first * p.a.row_stride;
    p.c.data += first * p.c.row_stride;
    return p;
}
template <class Product>
[[nodiscard]] Product columns_of(Product p, std::int64_t first, std::int64_t count) {
    p.n = count;
    p.b.data += first * p.b.col_stride;
    p.c.data += first * p.c.col_stride;
    return p;
}
template <class Product>
[[nodiscard]] Product depth_of(Product p, std::int64_t first, std::int64_t count) {
    p.k = count;
    p.a.data += first * p.a.col_stride;
    p.b.data += first * p.b.row_stride;
    return p;
}

// Share `number` of `count` of so many elements, in whole units.
struct share {
    std::int64_t first;
    std::int64_t size;
};
[[nodiscard]] constexpr share share_of(std::int64_t elements, std::int64_t unit, int number,
                                       int count) {
    const std::int64_t units = (elements + unit - 1) / unit;
    const auto cut = [&](int of) { return std::min(units * of / count * unit, elements); };
    return {cut(number), cut(number + 1) - cut(number)};
}

}  // namespace carat::ladder::cpu
