// Steps 11 to 20 of the CUDA ladder against exact sums, on a GPU: around their tile of 128 x 256 x
// 64, with fewer and more tiles than a GPU has SMs, padded lines and all factors.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "ladder/cuda/table.hpp"
#include "ladder/cuda/work_shares.hpp"
#include "tests/cuda/sweep.hpp"
#include "tests/parameters.hpp"

namespace {

using namespace carat;

std::vector<const rows::implementation*> steps() {
    std::vector<const rows::implementation*> all;
    for (const rows::implementation* entry : ladder::cuda::table())
        if (entry->signatures.size() == 1 && entry->signatures[0].a == dtype::bf16)
            all.push_back(entry);
    return all;
}

// Lines of a multiple of eight elements, and `more` of them.
std::int64_t padded(std::int64_t size, std::int64_t more = 0) {
    return (size + 7) / 8 * 8 + more;
}

core::problem problem(const rows::implementation& entry, std::int64_t m, std::int64_t n,
                      std::int64_t k, bool by_columns, std::int64_t more) {
    core::problem p = core::row_major_problem(entry.signatures[0].a, m, n, k);
    p.a_layout =
        by_columns ? core::column_major(padded(m, more)) : core::row_major(padded(k, more));
    p.b_layout =
        by_columns ? core::column_major(padded(k, more)) : core::row_major(padded(n, more));
    p.c_layout =
        by_columns ? core::column_major(padded(m, more)) : core::row_major(padded(n, more));
    return p;
}

// TMA stores no shorter pieces.
bool stores_whole_16_bytes(const rows::implementation& entry) {
    return entry.name == "cuda.ladder.deferred_store" || entry.name == "cuda.ladder.stream_k";
}

class line_steps : public testing::TestWithParam<const rows::implementation*> {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        const core::problem p = problem(*GetParam(), 128, 256, 64, false, 0);
        if (const auto why = rows::reason_against(*GetParam(), p, {}); !why.empty())
            GTEST_SKIP() << why;
    }
};

TEST_P(line_steps, are_exact_around_their_tile) {
    struct factors {
        double alpha, beta;
    };
    static constexpr factors all_factors[] = {{1, 0}, {2, -1}, {-1, 1}, {0, 2}};
    int count = 0;
    for (const auto& [m, n, k] : {std::tuple{128, 256, 64},
                                  {128, 256, 448},
                                  {256, 512, 128},
                                  {384, 256, 64},
                                  {1, 1, 1},
                                  {7, 9, 5},
                                  {64, 64, 16},
                                  {127, 255, 63},
                                  {129, 257, 65},
                                  {130, 264, 72},
                                  {300, 300, 300},
                                  {640, 1100, 130},
                                  {5, 2000, 1000},
                                  {2000, 5, 1000},
                                  {0, 8, 8},
                                  {8, 0, 8},
                                  {8, 8, 0}})
        for (const bool by_columns : {false, true}) {
            core::problem p = problem(*GetParam(), m, n, k, by_columns, by_columns ? 8 : 0);
            const factors f = all_factors[static_cast<std::size_t>(count++ % 4)];
            p.alpha = f.alpha;
            p.beta = f.beta;
            if (stores_whole_16_bytes(*GetParam()) && (by_columns && n > 0 ? m : n) % 8 != 0) {
                ASSERT_NE(rows::reason_against(*GetParam(), p, {}), "");
                continue;
            }
            ASSERT_EQ(rows::reason_against(*GetParam(), p, {}), "");
            ASSERT_EQ(test::check(*GetParam(), {}, {p, 0}), "")
                << core::describe(p) << (by_columns ? " by columns" : "") << " alpha " << f.alpha
                << " beta " << f.beta;
        }
    EXPECT_EQ(count, 2 * 17);
}

// Persistent and stream-K steps: fewer tiles than SMs, as many, a few more, and several rounds.
TEST_P(line_steps, are_exact_with_many_tiles) {
    for (const auto& [m, n, k] : {std::tuple{1024, 1024, 1024},
                                  {2048, 2048, 256},
                                  {2304, 2048, 192},
                                  {880, 4616, 320},
                                  {880, 4616, 584},
                                  {4096, 4352, 64}}) {
        const core::problem p = problem(*GetParam(), m, n, k, false, 0);
        ASSERT_EQ(test::check(*GetParam(), {}, {p, 0}), "") << core::describe(p);
        ASSERT_EQ(test::check(*GetParam(), {}, {p, 0}), "")
            << core::describe(p) << ", a second time";
    }
}

TEST_P(line_steps, are_exact_with_every_setting) {
    const core::problem p = problem(*GetParam(), 900, 1300, 500, false, 0);
    for (const core::tunable& t : GetParam()->tunables)
        for (std::int64_t value = t.least; value <= t.most; ++value) {
            const core::settings how = {1, {{std::string(t.name), value}}};
            if (rows::reason_against(*GetParam(), p, how).empty()) {
                ASSERT_EQ(test::check(*GetParam(), how, {p, 0}), "") << t.name << " " << value;
            }
        }
}

TEST_P(line_steps, refuse_what_they_cannot_read) {
    core::problem p = problem(*GetParam(), 128, 256, 64, false, 0);
    p.b_layout = core::column_major(64);
    EXPECT_NE(rows::reason_against(*GetParam(), p, {}).find("B has the strides 1 and 64"),
              std::string::npos);
    p = problem(*GetParam(), 128, 256, 64, false, 3);
    EXPECT_NE(rows::reason_against(*GetParam(), p, {}).find("elements apart"), std::string::npos);
    p = problem(*GetParam(), 128, 256, 64, false, 0);
    test::operand_set data(p, 1);
    EXPECT_THROW(test::run_on_device(*GetParam(), p, {}, data), error);
}

// Every k-step of every tile has one cluster; tiles are cut where that saves more than passing sums
// takes, shares then differ by a step at most, and what one cluster passes on is what the next one
// takes.
TEST(work_shares, cover_each_tile_once_and_pass_on_what_is_taken) {
    using piece = std::tuple<int, int>;  // tile, step
    constexpr int steps_to_pass = ladder::cuda::work_shares::steps_to_pass;
    int ran = 0;
    int cut = 0;
    for (const int tiles : {1, 2, 5, 65, 66, 67, 76, 131, 132, 256})
        for (const int steps : {1, 3, 16, 122})
            for (const int clusters : {1, 2, 32, 66}) {
                if (tiles * steps < clusters) continue;
                std::map<piece, int> count;
                std::set<std::tuple<int, piece>> passed;
                std::set<std::tuple<int, piece>> taken;
                int most = 0;
                int least = std::numeric_limits<int>::max();
                for (int c = 0; c < clusters; ++c) {
                    ladder::cuda::work_shares shares(tiles, steps, c, clusters);
                    ladder::cuda::tile_work work{};
                    int own = 0;
                    while (shares.next(work)) {
                        for (int k = work.begin; k < work.end; ++k) ++count[{work.tile, k}];
                        own += work.end - work.begin;
                        if (work.end < steps) passed.insert({c, {work.tile, work.end}});
                        if (work.begin > 0) taken.insert({c - 1, {work.tile, work.begin}});
                    }
                    most = std::max(most, own);
                    least = std::min(least, own);
                }
                ASSERT_EQ(count.size(), static_cast<std::size_t>(tiles * steps));
                for (const auto& [where, times] : count) ASSERT_EQ(times, 1);
                ASSERT_EQ(passed, taken) << tiles << " tiles, " << steps << ", " << clusters;
                const int idle = (clusters - tiles % clusters) % clusters;
                const bool pays = idle > 0 && idle * steps >= steps_to_pass * clusters;
                ASSERT_LE(most - least, pays ? 1 : steps);
                ASSERT_EQ(passed.empty(), !pays || clusters == 1);
                cut += pays;
                ++ran;
            }
    EXPECT_GE(ran, 120);
    EXPECT_GE(cut, 20);
}

std::string label(const testing::TestParamInfo<const rows::implementation*>& info) {
    return test::test_name(std::string(info.param->name));
}
INSTANTIATE_TEST_SUITE_P(ladder, line_steps, testing::ValuesIn(steps()), label);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(line_steps);

}  // namespace
