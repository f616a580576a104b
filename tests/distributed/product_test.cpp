// Products over threads as ranks: every type and layout, random and degenerate shapes, by exact
// passes, and what is moved.
#include <array>
#include <atomic>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include <carat/error.hpp>

#include "tests/distributed/trial.hpp"
#include "tests/support/oracle.hpp"

namespace carat::test {
namespace {

const runner on_threads = [](int size, const std::function<void(ranks::communicator&)>& work) {
    ranks::with_threads(size, work);
};

class on_ranks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(all, on_ranks, testing::Values(1, 2, 3, 4, 7, 12, 16),
                         testing::PrintToStringParamName());

TEST_P(on_ranks, random_products_are_exact) {
    std::mt19937 engine(static_cast<unsigned>(GetParam()));
    for (int i = 0; i < 60; ++i) {
        const trial t = random_trial(GetParam(), engine, i % 10 == 0 ? 300 : 60);
        const auto exact = i % 2 == 0 ? verify::exact_kind::sums : verify::exact_kind::significands;
        EXPECT_EQ(wrong(t, on_threads, exact), "");
    }
}

TEST_P(on_ranks, every_layout_of_each_operand) {
    for (const kind a : all_kinds)
        for (const kind b : all_kinds)
            for (const kind c : all_kinds) {
                trial t{.m = 23, .n = 31, .k = 29, .size = GetParam(), .a = a, .b = b, .c = c};
                t.beta = 2;
                EXPECT_EQ(wrong(t, on_threads, verify::exact_kind::sums), "");
            }
}

TEST_P(on_ranks, long_sums_are_split_and_reduced) {
    for (const element_types& types : all_types) {
        trial t{.m = 6, .n = 5, .k = 3000, .size = GetParam(), .types = types};
        t.a = kind::columns;
        t.alpha = 2;
        t.beta = -1;
        for (const kind c : {kind::best, kind::replicated, kind::cyclic}) {
            t.c = c;
            EXPECT_EQ(wrong(t, on_threads, verify::exact_kind::sums), "");
        }
    }
}

TEST_P(on_ranks, little_memory_takes_pieces_of_k) {
    for (const element_types& types : {all_types[0], all_types[4], all_types[6]}) {
        trial t{.m = 64, .n = 48, .k = 4000, .size = GetParam(), .types = types};
        t.a = t.b = t.c = kind::best;
        t.beta = 1;
        const double shares = (64.0 * 48 + 64 * 4000 + 48 * 4000) / t.size;
        t.memory_bytes = static_cast<std::size_t>(8 * 1.6 * shares) + 60000;
        if (types.in == dtype::f64) {
            const double words = static_cast<double>(t.memory_bytes) / 8;
            EXPECT_GT(ranks::schedule({{{t.m, t.n, t.k}}, t.size, words}).pieces(), 1);
        }
        EXPECT_EQ(wrong(t, on_threads, verify::exact_kind::sums), "");
    }
}

// Sizes of 0, and factors of 0, for which nothing may be read that holds no number.
TEST_P(on_ranks, empty_products_scale_c) {
    for (const auto& size : {std::array{0, 4, 3}, {4, 0, 3}, {4, 5, 0}, {0, 0, 0}, {4, 5, 3}})
        for (const double beta : {0.0, 2.0}) {
            const int m = size[0], n = size[1], k = size[2];
            const bool no_alpha = m * n * k > 0;
            std::atomic<int> right{0};
            ranks::with_threads(GetParam(), [&](ranks::communicator& comm) {
                const auto where = ranks::distribution::by_rows(m, n, comm.size());
                const auto rows = static_cast<std::size_t>(where.of(comm.rank()).rows.size());
                const auto columns = static_cast<std::size_t>(n);
                matrix<double> a(static_cast<std::size_t>(m), static_cast<std::size_t>(k)),
                    b(static_cast<std::size_t>(k), columns), c(rows, columns);
                for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] = NAN;
                for (std::size_t i = 0; i < rows * columns; ++i) c.data()[i] = beta == 0 ? NAN : 3;
                const ranks::view my_a(a, ranks::distribution::replicated(m, k));
                const ranks::view my_b(b, ranks::distribution::replicated(k, n));
                const ranks::view my_c(c, where);
                matrix_product(comm, scaled(no_alpha ? 0 : 1, my_a), my_b, scaled(beta, my_c),
                               my_c);
                bool all = true;
                for (std::size_t i = 0; i < rows * columns; ++i)
                    all = all && c.data()[i] == 3 * beta;
                right += all ? 1 : 0;
            });
            EXPECT_EQ(right, GetParam());
        }
}

TEST_P(on_ranks, transposes_are_layouts) {
    std::atomic<int> right{0};
    ranks::with_threads(GetParam(), [&](ranks::communicator& comm) {
        const auto at = ranks::distribution::by_columns(20, 30, comm.size());
        const auto bt = ranks::distribution::by_blocks(25, 20, comm.size(), 1);
        const ranks::share mine_a = at.of(comm.rank()), mine_b = bt.of(comm.rank());
        const auto size = [](const ranks::index_set& s) {
            return static_cast<std::size_t>(s.size());
        };
        matrix<double> a(20, size(mine_a.cols)), b(size(mine_b.rows), 20), c(30, 25);
        for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] = 1;
        for (std::size_t i = 0; i < b.rows(); ++i)
            for (std::size_t j = 0; j < 20; ++j)
                b(i, j) = static_cast<double>(mine_b.rows.within.begin) + static_cast<double>(i);
        matrix_product(comm, transposed(ranks::view(a, at)), transposed(ranks::view(b, bt)),
                       ranks::view(c, ranks::distribution::replicated(30, 25)));
        bool all = true;
        for (std::size_t i = 0; i < 30; ++i)
            for (std::size_t j = 0; j < 25; ++j) all = all && c(i, j) == 20.0 * double(j);
        right += all ? 1 : 0;
    });
    EXPECT_EQ(right, GetParam());
}

TEST_P(on_ranks, no_more_is_moved_than_the_schedule_says) {
    for (const auto& size : {std::array{960, 960, 960}, {4800, 96, 96}, {96, 96, 4800}}) {
        trial t{.m = size[0], .n = size[1], .k = size[2], .size = GetParam()};
        t.a = t.b = t.c = kind::best;
        const trial_layouts layouts(t);
        whole_matrix_bytes a(t.m, t.k, t.types.in), b(t.k, t.n, t.types.in),
            c(t.m, t.n, t.types.out);
        std::atomic<std::int64_t> words{0};
        ranks::with_threads(t.size, [&](ranks::communicator& comm) {
            words += multiply_part(comm, t, layouts, a, b, c, nullptr, nullptr).words();
        });
        const ranks::schedule plan({{{t.m, t.n, t.k}}, t.size});
        EXPECT_NEAR(static_cast<double>(words), plan.all_words(), 0.01 * plan.all_words())
            << t.text();
    }
}

// What lies where it is needed is not moved, whatever the sizes would suggest.
TEST_P(on_ranks, nothing_is_moved_where_layouts_fit) {
    for (const auto& size : {std::array{96, 96, 96}, {64, 3000, 20}, {3000, 64, 20}}) {
        for (const kind c : {kind::rows, kind::columns, kind::blocks}) {
            trial t{.m = size[0], .n = size[1], .k = size[2], .size = GetParam(), .c = c};
            t.a = t.b = kind::replicated;
            const trial_layouts layouts(t);
            whole_matrix_bytes a(t.m, t.k, t.types.in), b(t.k, t.n, t.types.in),
                result(t.m, t.n, t.types.out);
            std::atomic<std::int64_t> words{0};
            ranks::with_threads(t.size, [&](ranks::communicator& comm) {
                words += multiply_part(comm, t, layouts, a, b, result, nullptr, nullptr).words();
            });
            EXPECT_EQ(words, 0) << t.text();
        }
    }
}

// A(i, p) = i + p and B(p, j) = p - j, whatever part of them a rank holds.
TEST_P(on_ranks, gather_and_scatter) {
    constexpr std::int64_t m = 40, n = 50, k = 60;
    using where = ranks::distribution;
    const auto filled = [](const where& d, int rank, std::int64_t second) {
        const ranks::share own = d.of(rank);
        matrix<double> local(static_cast<std::size_t>(own.rows.size()),
                             static_cast<std::size_t>(own.cols.size()));
        for (std::size_t i = 0; i < local.rows(); ++i)
            for (std::size_t j = 0; j < local.cols(); ++j)
                local(i, j) = static_cast<double>(
                    own.rows.within.begin + static_cast<std::int64_t>(i) +
                    second * (own.cols.within.begin + static_cast<std::int64_t>(j)));
        return local;
    };
    const sums expected(filled(where::replicated(m, k), 0, 1),
                        filled(where::replicated(k, n), 0, -1));
    for (const bool gathers : {true, false}) {
        std::atomic<int> right{0};
        ranks::with_threads(GetParam(), [&](ranks::communicator& comm) {
            const int size = comm.size();
            const where of_a = gathers ? where::by_rows(m, k, size) : where::by_columns(m, k, size);
            const where of_b = gathers ? where::by_columns(k, n, size) : where::by_rows(k, n, size);
            const where of_c = gathers ? where::by_columns(m, n, size) : where::by_rows(m, n, size);
            auto a = filled(of_a, comm.rank(), 1), b = filled(of_b, comm.rank(), -1),
                 c = filled(of_c, comm.rank(), 0);
            const ranks::view va(a, of_a), vb(b, of_b), vc(c, of_c);
            gathers ? gather_product(comm, va, vb, vc) : product_scatter(comm, va, vb, vc);
            const ranks::share own = of_c.of(comm.rank());
            const std::string wrong = wrong_in(c, [&](std::size_t i, std::size_t j) {
                return expected(own.rows.within.begin + static_cast<std::int64_t>(i),
                                own.cols.within.begin + static_cast<std::int64_t>(j));
            });
            right += wrong.empty() ? 1 : 0;
        });
        EXPECT_EQ(right, GetParam()) << gathers;
    }
}

TEST(redistribution, between_every_two_layouts) {
    for (const int size : {1, 3, 4, 12})
        for (const kind from : all_kinds)
            for (const kind to : all_kinds) {
                std::mt19937 engine(9);
                const ranks::layouts best = ranks::best_layouts(37, 41, 50, size);
                const auto source = layout(from, 37, 50, size, best.a, engine);
                const auto target = layout(to, 37, 50, size, best.a, engine);
                whole_matrix_bytes whole(37, 50, dtype::f32);
                std::iota(reinterpret_cast<float*>(whole.data.data()),
                          reinterpret_cast<float*>(whole.data.data()) + 37 * 50, 1.0f);
                std::atomic<int> right{0};
                ranks::with_threads(size, [&](ranks::communicator& comm) {
                    local_part mine(source, comm.rank(), dtype::f32, comm.rank() % 2 == 0),
                        got(target, comm.rank(), dtype::f32, true),
                        expected(target, comm.rank(), dtype::f32, true);
                    mine.take(whole);
                    expected.take(whole);
                    ranks::detail::redistribute(comm, {mine.view(dtype::f32, 1), source},
                                                {got.view(dtype::f32, 1), target});
                    right += got.data == expected.data ? 1 : 0;
                });
                EXPECT_EQ(right, size) << static_cast<int>(from) << " to " << static_cast<int>(to);
            }
}

}  // namespace
}  // namespace carat::test
