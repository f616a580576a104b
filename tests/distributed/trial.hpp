// One distributed product against an exact pass: operands whose product is known are dealt out to
// ranks, multiplied, collected and compared entry by entry.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <carat/distributed.hpp>

#include "distributed/schedule.hpp"
#include "lab/verify/exact.hpp"

namespace carat::test {

namespace ranks = carat::distributed;

struct element_types {
    dtype in, out;
    const char* claim;
};
inline constexpr element_types all_types[] = {{dtype::f64, dtype::f64, "f64"},
                                              {dtype::f32, dtype::f32, "f32"},
                                              {dtype::f16, dtype::f16, "f32, rounded once"},
                                              {dtype::f16, dtype::f32, "f32"},
                                              {dtype::bf16, dtype::bf16, "f32, rounded once"},
                                              {dtype::bf16, dtype::f32, "f32"},
                                              {dtype::i8, dtype::i32, "i32"},
                                              {dtype::u8, dtype::i32, "i32"}};

enum class kind : std::uint8_t { replicated, rows, columns, blocks, cyclic, best };
inline constexpr kind all_kinds[] = {kind::replicated, kind::rows,   kind::columns,
                                     kind::blocks,     kind::cyclic, kind::best};

// One of the layouts of this kind; the process grid is the squarest there is.
inline ranks::distribution layout(kind of, std::int64_t rows, std::int64_t cols, int size,
                                  const ranks::distribution& best, std::mt19937& engine) {
    int high = 1;
    for (int d = 1; d * d <= size; ++d)
        if (size % d == 0) high = d;
    // Few blocks in large matrices, each of which is copied by itself.
    const auto scale = static_cast<int>(1 + std::max(rows, cols) / 100);
    std::uniform_int_distribution<int> block(1, 9);
    switch (of) {
        case kind::replicated:
            return ranks::distribution::replicated(rows, cols);
        case kind::rows:
            return ranks::distribution::by_rows(rows, cols, size);
        case kind::columns:
            return ranks::distribution::by_columns(rows, cols, size);
        case kind::blocks:
            return ranks::distribution::by_blocks(rows, cols, high, size / high);
        case kind::best:
            return best;
        default:
            break;
    }
    ranks::process_grid grid{high, size / high, 0, 0, block(engine) % 2 == 0};
    grid.first_row = block(engine) % grid.rows;
    grid.first_col = block(engine) % grid.cols;
    return ranks::distribution::block_cyclic(rows, cols, block(engine) * scale,
                                             block(engine) * scale, grid);
}

// A whole matrix, row-major, as bytes.
struct whole_matrix_bytes {
    std::int64_t rows, cols;
    std::size_t element;
    std::vector<std::byte> data;

    whole_matrix_bytes(std::int64_t r, std::int64_t c, dtype type)
        : rows(r),
          cols(c),
          element(size_bytes(type)),
          data(static_cast<std::size_t>(r * c) * element) {}
    std::byte* at(std::int64_t i, std::int64_t j) {
        return data.data() + static_cast<std::size_t>(i * cols + j) * element;
    }
};

// A rank's part of it, by rows or by columns, with room around each line.
struct local_part {
    ranks::share of;
    bool by_columns;
    std::int64_t rows, cols, line;
    std::size_t element;
    std::vector<std::byte> data;

    local_part(const ranks::distribution& d, int rank, dtype type, bool columns)
        : of(d.of(rank)),
          by_columns(columns),
          rows(of.rows.size()),
          cols(of.cols.size()),
          line((columns ? rows : cols) + padding(d)),
          element(size_bytes(type)),
          data(static_cast<std::size_t>(line * ((columns ? cols : rows) + 1)) * element,
               std::byte{0x5a}) {}

    // Half of all matrices have lines that follow each other, which need no packing.
    static std::int64_t padding(const ranks::distribution& d) {
        return (d.rows() + d.cols()) % 2 == 0 ? 0 : 3;
    }
    std::byte* at(std::int64_t i, std::int64_t j) {
        return data.data() +
               static_cast<std::size_t>(by_columns ? j * line + i : i * line + j) * element;
    }
    [[nodiscard]] carat::detail::erased_matrix view(dtype type, double factor) {
        return {data.data(),
                static_cast<std::size_t>(rows),
                static_cast<std::size_t>(cols),
                by_columns ? 1 : line,
                by_columns ? line : 1,
                type,
                factor,
                nullptr,
                {}};
    }
    // Copies from or to the whole matrix.
    template <class Copy>
    void each(whole_matrix_bytes& whole, const Copy& copy) {
        for (const ranks::index_range r : of.rows.runs({0, whole.rows}))
            for (const ranks::index_range c : of.cols.runs({0, whole.cols}))
                for (std::int64_t i = r.begin; i < r.end; ++i)
                    for (std::int64_t j = c.begin; j < c.end; ++j)
                        copy(whole.at(i, j), at(of.rows.below(i), of.cols.below(j)));
    }
    void take(whole_matrix_bytes& whole) {
        each(whole, [&](std::byte* x, std::byte* mine) { std::memcpy(mine, x, element); });
    }
    void give(whole_matrix_bytes& whole) {
        each(whole, [&](std::byte* x, std::byte* mine) { std::memcpy(x, mine, element); });
    }
};

struct trial {
    std::int64_t m = 1, n = 1, k = 1;
    int size = 1;
    element_types types = all_types[0];
    kind a = kind::rows, b = kind::rows, c = kind::rows;
    double alpha = 1, beta = 0;
    std::size_t memory_bytes = 0;
    unsigned seed = 1;
    std::optional<ranks::dimension> along = {};

    [[nodiscard]] std::string text() const {
        return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + " on " +
               std::to_string(size) + ", " + std::string(name(types.in)) + " to " +
               std::string(name(types.out)) + ", layouts " + std::to_string(static_cast<int>(a)) +
               std::to_string(static_cast<int>(b)) + std::to_string(static_cast<int>(c)) +
               ", alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta) + ", seed " +
               std::to_string(seed);
    }
};

// Some of one to `most` rows, columns and terms, of any layouts; few of some of them.
inline trial random_trial(int size, std::mt19937& engine, std::int64_t most,
                          std::span<const element_types> types = all_types) {
    std::uniform_int_distribution<std::int64_t> large(1, most), small(1, 5);
    constexpr std::array<double, 4> factors = {1, 2, -1, 3};
    trial t{.size = size};
    for (std::int64_t* of : {&t.m, &t.n, &t.k})
        *of = engine() % 4 == 0 ? small(engine) : large(engine);
    t.types = types[engine() % types.size()];
    for (kind* of : {&t.a, &t.b, &t.c}) *of = all_kinds[engine() % std::size(all_kinds)];
    t.alpha = factors[engine() % factors.size()];
    t.beta = engine() % 2 == 0 ? 0 : factors[engine() % factors.size()];
    t.seed = static_cast<unsigned>(engine());
    return t;
}

// Where a trial runs: calls its argument on each rank.
using runner = std::function<void(int, const std::function<void(ranks::communicator&)>&)>;

// What the layouts of one trial are, the same on every rank.
struct trial_layouts {
    ranks::distribution a, b, c;
    bool a_by_columns, b_by_columns, c_by_columns;

    explicit trial_layouts(const trial& t) {
        std::mt19937 engine(t.seed);
        const ranks::layouts best = ranks::best_layouts(t.m, t.n, t.k, t.size);
        a = layout(t.a, t.m, t.k, t.size, best.a, engine);
        b = layout(t.b, t.k, t.n, t.size, best.b, engine);
        c = layout(t.c, t.m, t.n, t.size, best.c, engine);
        a_by_columns = engine() % 2 == 0;
        b_by_columns = engine() % 2 == 0;
        c_by_columns = engine() % 2 == 0;
    }
};

// What one rank has of the whole matrices.
struct rank_parts {
    local_part a, b, c;

    rank_parts(const trial& t, const trial_layouts& l, int rank, whole_matrix_bytes& whole_a,
               whole_matrix_bytes& whole_b, whole_matrix_bytes& whole_c)
        : a(l.a, rank, t.types.in, l.a_by_columns),
          b(l.b, rank, t.types.in, l.b_by_columns),
          c(l.c, rank, t.types.out, l.c_by_columns) {
        a.take(whole_a);
        b.take(whole_b);
        c.take(whole_c);
    }
};

// The product of one rank's parts, in the host's memory or a GPU's.
template <class Part>
ranks::product product_of(ranks::communicator& comm, const trial& t, const trial_layouts& l,
                          Part& a, Part& b, Part& c,
                          const carat::detail::epilogue_steps* last = nullptr) {
    const ranks::detail::erased_view e{c.view(t.types.out, t.beta), l.c};
    return {comm,
            {a.view(t.types.in, t.alpha), l.a},
            {b.view(t.types.in, 1), l.b},
            t.beta == 0 ? std::nullopt : std::optional<ranks::detail::erased_view>(e),
            {c.view(t.types.out, 1), l.c},
            {.along = t.along, .memory_bytes = t.memory_bytes},
            last};
}

// One rank's part of a trial: deals out, multiplies, and gives its part of C.
inline ranks::traffic multiply_part(ranks::communicator& comm, const trial& t,
                                    const trial_layouts& l, whole_matrix_bytes& a,
                                    whole_matrix_bytes& b, whole_matrix_bytes& c,
                                    whole_matrix_bytes* result, std::mutex* collecting) {
    rank_parts own(t, l, comm.rank(), a, b, c);
    ranks::product multiply = product_of(comm, t, l, own.a, own.b, own.c);
    multiply();
    if (result != nullptr) {
        const std::lock_guard hold(*collecting);
        own.c.give(*result);
    }
    return multiply.moved();
}

inline core::problem problem_of(const trial& t) {
    return {t.types.in,           t.types.in,           t.types.out,          t.m,     t.n,   t.k,
            core::row_major(t.k), core::row_major(t.n), core::row_major(t.n), t.alpha, t.beta};
}

// The exact operands of a trial, and the verdict on every entry of its C: empty if all are right.
struct trial_operands {
    verify::exact_pass pass;
    whole_matrix_bytes a, b, c;

    trial_operands(const trial& t, verify::exact_kind exact)
        : pass(problem_of(t), t.types.claim, exact, t.seed, 1),
          a(t.m, t.k, t.types.in),
          b(t.k, t.n, t.types.in),
          c(t.m, t.n, t.types.out) {
        pass.fill(a.data.data(), b.data.data());
        if (t.beta != 0)
            pass.fill_c(c.data.data());
        else
            verify::poison(problem_of(t), c.data.data());
    }
    [[nodiscard]] std::string verdict(const trial& t, const whole_matrix_bytes& result) const {
        const verify::verdict v = pass.check(result.data.data());
        return v.passed ? "" : t.text() + ": " + v.reason;
    }
};

inline std::string wrong(const trial& t, const runner& run, verify::exact_kind exact) {
    const trial_layouts layouts(t);
    trial_operands all(t, exact);
    whole_matrix_bytes result = all.c;
    std::mutex collecting;
    run(t.size, [&](ranks::communicator& comm) {
        multiply_part(comm, t, layouts, all.a, all.b, all.c, &result, &collecting);
    });
    return all.verdict(t, result);
}

}  // namespace carat::test
