// Steps of a rank: their products cover its box once, and what they read has arrived or is held.
#include "distributed/steps.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include <carat/distributed.hpp>

#include "distributed/movement.hpp"

namespace {

using namespace carat::distributed;

bool inside(const region& of, index_range rows, index_range cols) {
    return of.rows.contains(rows) && of.cols.contains(cols);
}

// Whether a block is held as one, or was received as part of one.
bool is_present(const std::vector<region>& received, const share& held, index_range rows,
                index_range cols) {
    const overlap have = overlap_of(held, {rows, cols});
    if (have.is_one_block() && have.size() == rows.size() * cols.size()) return true;
    return std::ranges::any_of(received, [&](const region& r) { return inside(r, rows, cols); });
}

void expect_complete(const schedule& plan, int rank, const share& a, const share& b,
                     const pace& by) {
    const auto steps = steps_of(plan, rank, a, b, by);
    std::vector<region> received_a, received_b;
    std::vector<box> done;
    double volume = 0;
    for (const step& s : steps) {
        // Pieces of K take turns in two buffers; the last of each is there.
        if (s.a) received_a.push_back(s.a->what);
        if (s.b) received_b.push_back(s.b->what);
        for (const box& p : s.products) {
            const index_range m = p[dimension::m], n = p[dimension::n], k = p[dimension::k];
            EXPECT_TRUE(is_present(received_a, a, m, k));
            EXPECT_TRUE(is_present(received_b, b, k, n));
            for (const box& other : done)
                EXPECT_TRUE(common(other[dimension::m], m).empty() ||
                            common(other[dimension::n], n).empty() ||
                            common(other[dimension::k], k).empty());
            done.push_back(p);
            volume += p.size().volume();
        }
    }
    EXPECT_EQ(volume, plan.of(rank).size().volume());
}

TEST(steps, cover_the_box_with_what_is_there) {
    std::mt19937 engine(4);
    std::size_t most = 0;
    for (int i = 0; i < 80; ++i) {
        task t;
        for (auto& size : t.size.of) size = 1 + static_cast<std::int64_t>(engine() % 9000);
        t.ranks = 1 + static_cast<int>(engine() % 20);
        if (i % 4 == 0) t.memory_words = 1.5 * t.size.faces() / t.ranks;
        const schedule plan(t);
        const layouts best{plan.of_a(), plan.of_b(), plan.of_c()};
        const auto rows = distribution::by_rows(t.size.of[0], t.size.of[2], t.ranks);
        const auto whole = distribution::replicated(t.size.of[2], t.size.of[1]);
        for (const int kind : {0, 1, 2})
            for (int rank = 0; rank < t.ranks; ++rank) {
                const pace by = pace_of(kind == 0, carat::dtype::bf16, true, kind == 2 ? 32 : 0);
                expect_complete(plan, rank, best.a.of(rank), best.b.of(rank), by);
                expect_complete(plan, rank, rows.of(rank), whole.of(rank), by);
                most = std::max(most,
                                steps_of(plan, rank, best.a.of(rank), best.b.of(rank), by).size());
            }
    }
    EXPECT_GT(most, 4U);
}

// Two GPUs and a large cube: what is held is multiplied while the rest arrives.
TEST(steps, begin_with_what_is_held) {
    const schedule plan({{{32768, 32768, 32768}}, 2});
    const auto steps =
        steps_of(plan, 0, plan.of_a().of(0), plan.of_b().of(0), pace_of(false, carat::dtype::bf16));
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_FALSE(steps[0].a || steps[0].b);
    EXPECT_EQ(steps[0].products.size(), 1U);
}

// Where messages don't travel beside products, there is one product, after everything has arrived.
TEST(steps, nothing_is_cut_to_hide_messages_that_do_not_travel) {
    const schedule plan({{{4096, 4096, 4096}}, 16});
    const auto products = [&](bool overlaps) {
        std::size_t count = 0;
        for (const step& s : steps_of(plan, 0, plan.of_a().of(0), plan.of_b().of(0),
                                      pace_of(true, carat::dtype::f64, overlaps)))
            count += s.products.size();
        return count;
    };
    EXPECT_GT(products(true), 1U);
    EXPECT_EQ(products(false), 1U);
}

// All-gather + product of four GPUs. Messages of NCCL take SMs, so they travel at once, beside the
// product of what is held.
TEST(steps, are_few_where_messages_take_sms) {
    task what{{{16384, 28672, 8192}}, 4};
    what.along = dimension::n;
    const schedule plan(what);
    const share a = distribution::by_rows(16384, 8192, 4).of(1);
    const share b = distribution::by_columns(8192, 28672, 4).of(1);
    const auto count = [&](int units) {
        return steps_of(plan, 1, a, b, pace_of(false, carat::dtype::bf16, true, units)).size();
    };
    EXPECT_EQ(count(0), 3U);
    EXPECT_EQ(count(32), 2U);
}

}  // namespace
