// The schedule on paper: boxes that tile the cuboid, words near the bound, layouts that add up.
#include "distributed/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

#include <carat/error.hpp>

#include "distributed/bound.hpp"
#include "tests/support/refusal.hpp"

namespace {

using namespace carat::distributed;

// Sizes and numbers of ranks, uniform in their logarithms.
task random_task(std::mt19937_64& engine, double least_size, double most_size, double most_ranks) {
    const auto draw = [&](double lo, double hi) {
        std::uniform_real_distribution<double> in(std::log(lo), std::log(hi));
        return std::llround(std::exp(in(engine)));
    };
    task what;
    for (auto& size : what.size.of) size = draw(least_size, most_size);
    what.ranks = static_cast<int>(draw(2, most_ranks));
    return what;
}

std::string text(const task& t) {
    return std::to_string(t.size.of[0]) + " x " + std::to_string(t.size.of[1]) + " x " +
           std::to_string(t.size.of[2]) + " on " + std::to_string(t.ranks);
}

// Every point of the cuboid is in exactly one box.
void expect_tiling(const schedule& s) {
    double volume = 0;
    const int ranks = s.what().ranks;
    for (int rank = 0; rank < ranks; ++rank) {
        const box own = s.of(rank);
        volume += own.size().volume();
        for (std::size_t d = 0; d < 3; ++d) {
            ASSERT_LE(0, own.of[d].begin);
            ASSERT_LE(own.of[d].begin, own.of[d].end);
            ASSERT_LE(own.of[d].end, s.what().size.of[d]);
        }
        for (int other = rank + 1; other < std::min(ranks, rank + 300); ++other) {
            const box theirs = s.of(other);
            if (own.empty() || theirs.empty()) continue;
            bool apart = false;
            for (std::size_t d = 0; d < 3; ++d)
                apart = apart || common(own.of[d], theirs.of[d]).empty();
            ASSERT_TRUE(apart) << text(s.what()) << ": ranks " << rank << " and " << other;
        }
    }
    EXPECT_DOUBLE_EQ(volume, s.what().size.volume()) << text(s.what());
}

TEST(schedule, boxes_tile_the_cuboid) {
    std::mt19937_64 engine(7);
    for (int i = 0; i < 300; ++i) {
        const task t = random_task(engine, 1, i % 2 == 0 ? 12 : 900, 60);
        expect_tiling(schedule(t));
    }
}

TEST(schedule, every_rank_works_even_if_their_number_is_prime) {
    for (const int ranks : {1, 2, 3, 5, 7, 11, 13, 997}) {
        const schedule s({{{4000, 3000, 5000}}, ranks});
        expect_tiling(s);
        EXPECT_LT(s.most_madds() * ranks / s.what().size.volume(), 1.03) << ranks;
    }
}

TEST(schedule, words_are_within_a_tenth_of_the_bound_for_19_of_20) {
    std::mt19937_64 engine(1);
    int near = 0;
    constexpr int cases = 200;
    for (int i = 0; i < cases; ++i) {
        const task t = random_task(engine, 256, 65536, 4096);
        const schedule s(t);
        const double ratio = s.most_words() / least_words(t);
        EXPECT_GE(ratio, 0.999) << text(t) << ": below the bound";
        EXPECT_LE(ratio, 1.45) << text(t);
        near += ratio <= 1.1 ? 1 : 0;
    }
    EXPECT_GE(near, cases * 95 / 100);
}

TEST(schedule, words_of_known_cases) {
    // Four ranks share a square by quarters and receive half of a face of A and of B.
    const schedule four({{{1000, 1000, 1000}}, 4});
    EXPECT_EQ(four.most_words(), 2 * 500 * 1000 * 0.5);
    // One dimension is long: only the small matrix moves.
    const schedule tall({{{80000, 100, 100}}, 8});
    EXPECT_EQ(tall.most_words(), 100 * 100 * 7 / 8.0);
    EXPECT_EQ(tall.most_words(), least_words(tall.what()));
    const schedule deep({{{100, 100, 80000}}, 8});
    EXPECT_EQ(deep.most_words(), 100 * 100 * 7 / 8.0);
    EXPECT_TRUE(deep.splits_k());
    EXPECT_EQ(schedule({{{10, 10, 10}}, 1}).most_words(), 0);
}

TEST(schedule, memory_decides) {
    // 64 ranks and a cube: eight faces of a quarter each are best, and need more than the shares.
    task t{{{4096, 4096, 4096}}, 64};
    const schedule rich(t);
    const double shares = t.size.faces() / t.ranks;
    t.memory_words = 1.3 * shares;
    const schedule poor(t);
    EXPECT_TRUE(rich.splits_k());
    EXPECT_FALSE(poor.splits_k());
    EXPECT_GT(poor.pieces(), 1);
    EXPECT_GT(poor.most_words(), rich.most_words());
    EXPECT_GE(poor.most_words(), least_words(t));
    t.memory_words = 0.9 * shares;
    carat::test::expect_refusal([&] { const schedule none(t); }, carat::error_code::out_of_memory,
                                {"use more ranks"});
}

TEST(schedule, k_stays_whole_where_that_is_asked) {
    for (const int ranks : {2, 3, 7, 16}) {
        task t{{{100, 100, 80000}}, ranks};
        t.may_split_k = false;
        EXPECT_FALSE(schedule(t).splits_k());
    }
}

TEST(schedule, best_layouts_hold_each_element_once_and_what_the_box_needs) {
    std::mt19937_64 engine(3);
    for (int i = 0; i < 60; ++i) {
        const task t = random_task(engine, 1, 90, 40);
        const schedule s(t);
        int operand = 0;
        for (const distribution& d : {s.of_a(), s.of_b(), s.of_c()}) {
            std::set<std::pair<std::int64_t, std::int64_t>> seen;
            for (int rank = 0; rank < t.ranks; ++rank) {
                const share own = d.of(rank);
                const box of = s.of(rank);
                for (const index_range rows : own.rows.runs({0, d.rows()}))
                    for (const index_range cols : own.cols.runs({0, d.cols()}))
                        for (std::int64_t r = rows.begin; r < rows.end; ++r)
                            for (std::int64_t c = cols.begin; c < cols.end; ++c) {
                                ASSERT_TRUE(seen.insert({r, c}).second) << text(t);
                                const auto in = [&](dimension along, std::int64_t at) {
                                    return of[along].contains({at, at + 1});
                                };
                                const bool needed =
                                    operand == 0   ? in(dimension::m, r) && in(dimension::k, c)
                                    : operand == 1 ? in(dimension::k, r) && in(dimension::n, c)
                                                   : in(dimension::m, r) && in(dimension::n, c);
                                ASSERT_TRUE(needed) << text(t) << ", operand " << operand;
                            }
            }
            EXPECT_EQ(static_cast<std::int64_t>(seen.size()), d.rows() * d.cols());
            ++operand;
        }
    }
}

TEST(schedule, a_hundred_thousand_ranks) {
    const task t{{{1000000, 800000, 600000}}, 100000};
    const std::clock_t begun = std::clock();
    const schedule s(t);
    EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, 10);
    EXPECT_LT(s.most_words() / least_words(t), 1.1);
}

// ScaLAPACK's definition: block (I, J) is on process (I + first_row mod rows, J + first_col mod
// cols).
TEST(layout, block_cyclic_is_scalapacks) {
    const process_grid grid{2, 3, 1, 2, false};
    const auto d = distribution::block_cyclic(11, 13, 2, 3, grid);
    for (std::int64_t i = 0; i < 11; ++i)
        for (std::int64_t j = 0; j < 13; ++j) {
            const auto row = (i / 2 + 1) % 2, col = (j / 3 + 2) % 3;
            for (int rank = 0; rank < 6; ++rank) {
                const share own = d.of(rank);
                const bool held =
                    !own.rows.runs({i, i + 1}).empty() && !own.cols.runs({j, j + 1}).empty();
                EXPECT_EQ(held, rank == row * 3 + col) << i << " " << j << " " << rank;
            }
        }
    const auto by_columns = distribution::block_cyclic(11, 13, 2, 3, {2, 3, 1, 2, true});
    EXPECT_EQ(by_columns.of(1), d.of(3));  // process (1, 0)
}

TEST(index_set, runs_and_counts_agree) {
    std::mt19937 engine(5);
    for (int i = 0; i < 500; ++i) {
        std::uniform_int_distribution<int> small(0, 30);
        const index_range within{small(engine), 30 + small(engine)};
        const std::int64_t block = 1 + small(engine) % 5, period = block + small(engine) % 9;
        const index_set s(within, small(engine) - 10, block, period);
        std::int64_t members = 0;
        for (std::int64_t at = 0; at < 70; ++at) {
            EXPECT_EQ(s.below(at), members);
            const auto phase = ((at - s.phase) % period + period) % period;
            const bool is_member = within.contains({at, at + 1}) && phase < block;
            const auto runs = s.runs({at, at + 1});
            EXPECT_EQ(runs.size(), is_member ? 1U : 0U) << at;
            members += is_member ? 1 : 0;
        }
        EXPECT_EQ(s.size(), members);
    }
}

}  // namespace
