// Block-cyclic layouts that deal alike are blocks in another numbering: no more is moved than
// between blocks, and C is written where it lies.
#include "distributed/relabel.hpp"

#include <gtest/gtest.h>

#include "tests/distributed/epilogue_trial.hpp"

namespace carat::test {
namespace {

using ranks::distribution;

struct grid_case {
    int rows, cols;
    std::int64_t block;
    bool column_major;
};

constexpr grid_case grids[] = {
    {2, 2, 8, false}, {2, 3, 8, true}, {4, 4, 5, false}, {1, 3, 7, true}};

ranks::layouts cyclic(const trial& t, const grid_case& g) {
    const ranks::process_grid grid{g.rows, g.cols, g.rows - 1, 0, g.column_major};
    const auto of = [&](std::int64_t rows, std::int64_t cols) {
        return distribution::block_cyclic(rows, cols, g.block, g.block, grid);
    };
    return {of(t.m, t.k), of(t.k, t.n), of(t.m, t.n)};
}

epilogue_trial<double> trial_on(const grid_case& g, double beta) {
    trial t{.m = 61, .n = 83, .k = 70, .size = g.rows * g.cols};
    t.beta = beta;
    t.seed = static_cast<unsigned>(g.block);
    epilogue_trial<double> all(t, relu);
    const ranks::layouts l = cyclic(t, g);
    all.layouts.a = l.a;
    all.layouts.b = l.b;
    all.layouts.c = l.c;
    return all;
}

TEST(relabelling, keeps_every_element_and_bias_where_it_is) {
    for (const grid_case& g : grids)
        for (const double beta : {0.0, 2.0}) {
            epilogue_trial<double> all = trial_on(g, beta);
            std::mutex collecting;
            ranks::with_threads(all.t.size, [&](ranks::communicator& comm) {
                rank_parts own = all.parts(comm.rank());
                const auto columns = taken(all.columns, own.c.of.cols),
                           rows = taken(all.rows, own.c.of.rows);
                const auto last = chain<double>(std::span<const double>(columns),
                                                std::span<const double>(rows), relu);
                product_of(comm, all.t, all.layouts, own.a, own.b, own.c, &last)();
                const std::lock_guard hold(collecting);
                own.c.give(all.result);
            });
            EXPECT_EQ(all.wrong(), "") << g.rows << " x " << g.cols;
        }
}

// 4 x 4 processes with blocks of 256, as ScaLAPACK's users have them: each receives what it lacks
// of the rows of A and the columns of B, and nothing of C travels.
TEST(relabelling, moves_no_more_than_blocks_do) {
    trial t{.m = 512, .n = 512, .k = 512, .size = 16};
    const ranks::layouts l = cyclic(t, {4, 4, 32, false});
    std::vector<ranks::traffic> moved(16);
    ranks::with_threads(16, [&](ranks::communicator& comm) {
        const auto local = [&](const distribution& where) {
            return local_part(where, comm.rank(), dtype::f64, true);
        };
        local_part a = local(l.a), b = local(l.b), c = local(l.c);
        ranks::product multiply(comm, {a.view(dtype::f64, 1), l.a}, {b.view(dtype::f64, 1), l.b},
                                std::nullopt, {c.view(dtype::f64, 1), l.c}, {});
        moved[static_cast<std::size_t>(comm.rank())] = multiply.moved();
    });
    for (const ranks::traffic& of_rank : moved) EXPECT_EQ(of_rank.words(), 2 * 128 * 384);
}

TEST(relabelling, leaves_alone_what_is_dealt_differently) {
    const trial t{.m = 60, .n = 60, .k = 60, .size = 4};
    const ranks::layouts l = cyclic(t, {2, 2, 8, false});
    const ranks::layouts other{l.a, distribution::by_columns(60, 60, 4),
                               distribution::by_rows(60, 60, 4)};
    const ranks::layouts found = ranks::relabelled(other);
    EXPECT_EQ(found.a.fingerprint(), other.a.fingerprint());
    EXPECT_EQ(found.c.fingerprint(), other.c.fingerprint());
    const ranks::layouts whole{l.a, distribution::replicated(60, 60), l.c};
    EXPECT_EQ(ranks::relabelled(whole).a.fingerprint(), l.a.fingerprint());
}

}  // namespace
}  // namespace carat::test
