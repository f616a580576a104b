// Wide tiles that follow each other in one block: the sums of one leave while the next is
// multiplied, two or three to a block, where there are stages enough, and after each other where
// there are not.
#include <gtest/gtest.h>

#include "cuda/common/device.hpp"
#include "cuda/sm90/table.hpp"
#include "tests/cuda/sweep.hpp"

namespace {

using namespace carat;

constexpr core::signature types[] = {{dtype::bf16, dtype::bf16, dtype::f32, ""},
                                     {dtype::f16, dtype::f16, dtype::f16, ""},
                                     {dtype::i8, dtype::i8, dtype::i32, ""},
                                     {dtype::e4m3, dtype::e4m3, dtype::f32, ""},
                                     {dtype::e4m3, dtype::e4m3, dtype::bf16, ""}};

class wide : public testing::TestWithParam<core::signature> {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        if (const std::string why = entry().unsupported(problem(16, 16, 16), {}); !why.empty())
            GTEST_SKIP() << why;
    }
    // fp8 is summed by the tensor cores alone in the last row.
    static const core::implementation& entry() {
        return *cuda::sm90::table()[is_fp8(GetParam().a) ? 3 : 0];
    }
    static core::problem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
        core::problem p = test::along_k_problem(GetParam(), m, n, k);
        p.alpha = 2;
        return p;
    }
};

TEST_P(wide, tiles_that_follow_each_other_are_exact) {
    for (const std::int64_t width : {192, 256})
        for (const std::int64_t k : {144, 784}) {
            const core::settings how{1, {{"tile", width}}};
            EXPECT_EQ(test::check(entry(), how, {problem(129, 140 * 192 - 16, k), 0}), "") << width;
        }
}

// Two, three and four tiles to a block, by which warpgroup whatever, K within the ring and beyond
// it.
TEST_P(wide, tiles_apart_are_exact) {
    struct extent {
        std::int64_t columns, k;
    };
    for (const auto& [columns, k] :
         {extent{3, 1600}, {70 * 128, 784}, {140 * 128 - 16, 144}, {266 * 128, 16}})
        for (const int beta : {0, -1}) {
            core::problem p = problem(129, columns, k);
            p.beta = beta;
            const core::settings how{1, {{"apart", 1}}};
            ASSERT_EQ(test::check(entry(), how, {p, 0}), "") << describe(p);
        }
}

TEST_P(wide, tiles_apart_of_any_layouts_are_exact) {
    if (size_bytes(GetParam().a) != 2) GTEST_SKIP() << "packed along K";
    for (const bool a_across : {false, true})
        for (const bool b_across : {false, true})
            for (const bool c_by_columns : {false, true}) {
                core::problem p = problem(264, 131 * 128 + 8, 72);
                if (a_across) p.a_layout = core::column_major(264);
                if (b_across) p.b_layout = core::row_major(131 * 128 + 8);
                if (c_by_columns) p.c_layout = core::column_major(272);
                const core::settings how{1, {{"apart", 1}}};
                ASSERT_EQ(test::check(entry(), how, {p, 0}), "") << describe(p);
            }
}

INSTANTIATE_TEST_SUITE_P(cuda, wide, testing::ValuesIn(types));

}  // namespace
