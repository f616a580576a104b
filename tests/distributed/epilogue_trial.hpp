// One distributed product with an epilogue against one product of the whole matrices on the CPU,
// bit for bit.
#pragma once

#include <carat/sums.hpp>

#include "tests/distributed/trial.hpp"

namespace carat::test {

// Values for the columns and rows of the whole C, small whole numbers and halves.
template <class T>
std::vector<T> values_of(std::int64_t count, int seed) {
    std::vector<T> all;
    for (std::int64_t i = 0; i < count; ++i)
        all.push_back(static_cast<T>((i * 7 + seed) % 5 - 2) / T{2});
    return all;
}

template <class T>
std::vector<T> taken(const std::vector<T>& all, const ranks::index_set& held) {
    std::vector<T> own;
    for (const ranks::index_range run : held.runs({0, static_cast<std::int64_t>(all.size())}))
        for (std::int64_t i = run.begin; i < run.end; ++i)
            own.push_back(all[static_cast<std::size_t>(i)]);
    return own;
}

template <class T, class Bend>
carat::detail::epilogue_steps chain(std::span<const T> of_columns, std::span<const T> of_rows,
                                    const Bend& bend) {
    return (bias(of_columns) | scale(of_rows, by::row) | bend | scale(0.5)).steps();
}

inline carat::detail::erased_matrix view_of(whole_matrix_bytes& m, dtype type, double factor) {
    return {m.data.data(),
            static_cast<std::size_t>(m.rows),
            static_cast<std::size_t>(m.cols),
            static_cast<std::ptrdiff_t>(m.cols),
            1,
            type,
            factor,
            nullptr,
            {}};
}

// T is the type of the sums.
template <class T>
struct epilogue_trial {
    trial t;
    trial_layouts layouts;
    whole_matrix_bytes a, b, c, expected, result;
    std::vector<T> columns, rows;

    template <class Bend>
    epilogue_trial(const trial& of, const Bend& bend)
        : t(of),
          layouts(t),
          a(t.m, t.k, t.types.in),
          b(t.k, t.n, t.types.in),
          c(t.m, t.n, t.types.out),
          expected(c),
          result(c),
          columns(values_of<T>(t.n, 1)),
          rows(values_of<T>(t.m, 2)) {
        const verify::exact_pass pass(problem_of(t), t.types.claim, verify::exact_kind::sums,
                                      t.seed, 1);
        pass.fill(a.data.data(), b.data.data());
        if (t.beta != 0) pass.fill_c(c.data.data());
        expected = result = c;
        const auto e = view_of(c, t.types.out, t.beta);
        carat::detail::multiply_with_epilogue(cpu{.threads = 1}, view_of(a, t.types.in, t.alpha),
                                              view_of(b, t.types.in, 1), t.beta == 0 ? nullptr : &e,
                                              view_of(expected, t.types.out, 1),
                                              chain<T>(columns, rows, bend));
    }

    [[nodiscard]] rank_parts parts(int rank) { return {t, layouts, rank, a, b, c}; }

    // Empty if the distributed result is that of one product.
    [[nodiscard]] std::string wrong() const {
        return result.data == expected.data ? "" : t.text() + ": other bits than one product has";
    }
};

}  // namespace carat::test
