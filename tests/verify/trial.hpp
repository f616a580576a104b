// A product with its data, and honest ways to compute it: every order of summation that a kernel
// may choose. Flawed ones are in flaws_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "lab/verify/verify.hpp"
#include "lab/workload/workload.hpp"

namespace carat::verify {

// Integers multiply modulo 2^32, which signed arithmetic would not forgive.
template <class T>
using arithmetic = std::conditional_t<std::is_integral_v<T>, std::uint32_t, T>;

template <class T>
struct trial {
    core::problem p;
    std::vector<T> a;
    std::vector<T> b;
    std::vector<T> initial;

    trial(std::int64_t m, std::int64_t n, std::int64_t k, const workload::distribution& d,
          double alpha = 1, double beta = 0)
        : p(core::row_major_problem(dtype_of_v<T>, m, n, k)),
          a(static_cast<std::size_t>(m * k)),
          b(static_cast<std::size_t>(k * n)),
          initial(static_cast<std::size_t>(m * n)) {
        p.alpha = alpha;
        p.beta = beta;
        const dtype type = dtype_of_v<T>;
        workload::fill(a.data(), type, m, k, p.a_layout, d, 7, workload::operand::a, 1);
        workload::fill(b.data(), type, k, n, p.b_layout, d, 7, workload::operand::b, 1);
        workload::fill(initial.data(), type, m, n, p.c_layout, d, 7, workload::operand::c, 1);
    }

    [[nodiscard]] verify::reference reference(const options& how = {}) {
        return {p, {a.data(), b.data(), initial.data()}, how};
    }
    [[nodiscard]] T at_a(std::int64_t i, std::int64_t q) const {
        return a[static_cast<std::size_t>(i * p.k + q)];
    }
    [[nodiscard]] T at_b(std::int64_t q, std::int64_t j) const {
        return b[static_cast<std::size_t>(q * p.n + j)];
    }
    [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j) const {
        return static_cast<std::size_t>(i * p.n + j);
    }
};

enum class order { forward, backward, blocked, pairwise, fused, lanes, into_c, alpha_first };
inline constexpr std::array all_orders = {order::forward,  order::backward,   order::blocked,
                                          order::pairwise, order::fused,      order::lanes,
                                          order::into_c,   order::alpha_first};

template <class R>
R factor(double value) {
    if constexpr (std::is_integral_v<R>)
        return static_cast<R>(static_cast<std::int64_t>(value));
    else
        return static_cast<R>(value);
}

template <class R, class Term>
R sum_pairwise(std::int64_t first, std::int64_t last, const Term& term) {
    if (last - first == 0) return R{};
    if (last - first == 1) return term(first);
    const std::int64_t middle = first + (last - first) / 2;
    return sum_pairwise<R>(first, middle, term) + sum_pairwise<R>(middle, last, term);
}

template <class R, class Term>
R sum_blocked(std::int64_t count, const Term& term) {
    R total{};
    for (std::int64_t q0 = 0; q0 < count; q0 += 5) {
        R block{};
        for (std::int64_t q = q0; q < std::min(q0 + 5, count); ++q) block += term(q);
        total += block;
    }
    return total;
}

template <class R, class Term>
R sum_lanes(std::int64_t count, const Term& term) {
    std::array<R, 8> lane{};
    for (std::int64_t q = 0; q < count; ++q) lane[static_cast<std::size_t>(q % 8)] += term(q);
    return sum_pairwise<R>(0, 8, [&](std::int64_t l) { return lane[static_cast<std::size_t>(l)]; });
}

// One entry of C, all arithmetic in R, before it is rounded to T.
template <class R, class T>
R entry(const trial<T>& t, std::int64_t i, std::int64_t j, order how) {
    const std::int64_t k = t.p.k;
    const R alpha = factor<R>(t.p.alpha);
    const auto a = [&](std::int64_t q) { return static_cast<R>(t.at_a(i, q)); };
    const auto b = [&](std::int64_t q) { return static_cast<R>(t.at_b(q, j)); };
    const auto term = [&](std::int64_t q) { return static_cast<R>(a(q) * b(q)); };
    const R initial =
        t.p.beta == 0
            ? R{}
            : static_cast<R>(factor<R>(t.p.beta) * static_cast<R>(t.initial[t.index(i, j)]));
    if (t.p.alpha == 0) return initial;
    R sum{};
    switch (how) {
        case order::forward:
            for (std::int64_t q = 0; q < k; ++q) sum += term(q);
            break;
        case order::backward:
            for (std::int64_t q = k; q-- > 0;) sum += term(q);
            break;
        case order::blocked:
            sum = sum_blocked<R>(k, term);
            break;
        case order::pairwise:
            sum = sum_pairwise<R>(0, k, term);
            break;
        case order::lanes:
            sum = sum_lanes<R>(k, term);
            break;
        case order::fused:
            for (std::int64_t q = 0; q < k; ++q) {
                if constexpr (std::is_integral_v<R>)
                    sum += term(q);
                else
                    sum = std::fma(a(q), b(q), sum);
            }
            break;
        case order::into_c:
            sum = initial;
            for (std::int64_t q = 0; q < k; ++q) sum += alpha * term(q);
            return sum;
        case order::alpha_first:
            for (std::int64_t q = 0; q < k; ++q) sum += static_cast<R>(alpha * a(q)) * b(q);
            return sum + initial;
    }
    return alpha * sum + initial;
}

template <class T, class R = arithmetic<T>>
std::vector<T> multiply(const trial<T>& t, order how = order::forward) {
    std::vector<T> c(t.initial.size());
    for (std::int64_t i = 0; i < t.p.m; ++i)
        for (std::int64_t j = 0; j < t.p.n; ++j)
            c[t.index(i, j)] = static_cast<T>(entry<R>(t, i, j, how));
    return c;
}

// A product into f32 with its data, for sums as a unit with a claim of its own makes them.
template <class A, class B = A>
struct unit_trial {
    core::problem p;
    std::vector<A> a;
    std::vector<B> b;
    std::vector<float> c;

    unit_trial(std::int64_t m, std::int64_t n, std::int64_t k, const workload::distribution& values)
        : p(core::row_major_problem(dtype::f32, m, n, k)),
          a(static_cast<std::size_t>(m * k)),
          b(static_cast<std::size_t>(k * n)),
          c(static_cast<std::size_t>(m * n)) {
        p.a_type = dtype_of_v<A>;
        p.b_type = dtype_of_v<B>;
        workload::fill(a.data(), p.a_type, m, k, p.a_layout, values, 1, workload::operand::a, 1);
        workload::fill(b.data(), p.b_type, k, n, p.b_layout, values, 1, workload::operand::b, 1);
    }

    [[nodiscard]] verify::reference make_reference(const options& how = {}) {
        return {p, {a.data(), b.data(), c.data()}, how};
    }
    [[nodiscard]] A at_a(std::int64_t i, std::int64_t q) const {
        return a[static_cast<std::size_t>(i * p.k + q)];
    }
    [[nodiscard]] B at_b(std::int64_t q, std::int64_t j) const {
        return b[static_cast<std::size_t>(q * p.n + j)];
    }
    // C(i, j) = sum_of(i, j)
    template <class Sum>
    void each_entry(const Sum& sum_of) {
        for (std::int64_t i = 0; i < p.m; ++i)
            for (std::int64_t j = 0; j < p.n; ++j)
                c[static_cast<std::size_t>(i * p.n + j)] = sum_of(i, j);
    }
};

}  // namespace carat::verify
