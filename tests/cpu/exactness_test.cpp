// Compares every row of the engine's table with sums of small integers, which every type holds
// exactly, so that any wrong, missing or doubled term shows: sizes around the register tile and the
// blocks, all layouts, and the bytes around C. tests/catalogue asks more of them; this one also
// runs on emulated processors.
#include <gtest/gtest.h>

#include "tests/cpu/rows.hpp"
#include "tests/parameters.hpp"
#include "tests/support/product_case.hpp"

namespace {

using namespace carat;

// Row-major, column-major or with gaps in both directions.
core::layout layout_of(int order, std::int64_t rows, std::int64_t cols) {
    if (order == 0) return {cols + 3, 1};
    if (order == 1) return {1, rows + 2};
    return {2, 2 * rows + 1};
}

// The rows that take every type; sums in f16 have their own tests.
std::vector<const rows::implementation*> rows_of_every_type() {
    std::vector<const rows::implementation*> rows = test::available_rows();
    std::erase_if(rows, [](const auto* row) { return row->name == "cpu.engine.f16_sums"; });
    return rows;
}

constexpr core::signature all_types[] = {
    {dtype::f64, dtype::f64, dtype::f64, ""},    {dtype::f32, dtype::f32, dtype::f32, ""},
    {dtype::i32, dtype::i32, dtype::i32, ""},    {dtype::f16, dtype::f16, dtype::f16, ""},
    {dtype::bf16, dtype::bf16, dtype::bf16, ""}, {dtype::f16, dtype::f16, dtype::f32, ""},
    {dtype::bf16, dtype::bf16, dtype::f32, ""},  {dtype::i8, dtype::i8, dtype::i32, ""},
    {dtype::u8, dtype::i8, dtype::i32, ""}};

class exactness : public testing::TestWithParam<core::signature> {};

TEST_P(exactness, edges_of_the_register_tile) {
    const auto& [of_a, of_b, of_c, computes_in] = GetParam();
    const std::int64_t some[] = {0, 1, 2, 5, 7, 8, 9, 15, 17, 23, 24, 25, 31, 47, 48, 49};
    int executed = 0;
    for (const rows::implementation* row : rows_of_every_type())
        for (const std::int64_t m : some)
            for (const std::int64_t n : some)
                for (const std::int64_t k : {0, 1, 3, 16}) {
                    const auto pick = [&](int step) { return (executed / step + step) % 3; };
                    const core::signature* types = test::signature_of(*row, of_a, of_b, of_c);
                    ASSERT_NE(types, nullptr) << row->name;
                    test::product_case c = test::plain_case(*row, *types, m, n, k);
                    c.p.a_layout = layout_of(pick(1), m, k);
                    c.p.b_layout = layout_of(pick(3), k, n);
                    c.p.c_layout = layout_of(pick(9), m, n);
                    c.p.alpha = 2;
                    c.p.beta = executed % 4 == 0 ? 0 : executed % 4 - 2;
                    // No C beyond 256, which bf16 holds, so that no rounding hides a term.
                    c.data = workload::integers(of_a == dtype::u8 ? 0 : -2, 2);
                    if (executed % 2 != 0) c.how.tunables = {{"mc", 48}, {"nc", 16}, {"kc", 12}};
                    ASSERT_EQ(rows::reason_against(*row, c.p, c.how), "");
                    EXPECT_EQ(test::failure_of(c), "") << test::describe(c);
                    ++executed;
                }
    EXPECT_EQ(executed, static_cast<int>(rows_of_every_type().size()) * 16 * 16 * 4);
}

INSTANTIATE_TEST_SUITE_P(types, exactness, testing::ValuesIn(all_types), test::as_printed);

TEST(exactness, every_row_of_the_table_was_there_or_said_why_not) {
    for (const rows::implementation* row : rows::cpu::table())
        if (const std::string why = test::why_not_here(*row); !why.empty())
            std::printf("not tested: %s: %s\n", std::string(row->name).c_str(), why.c_str());
    EXPECT_GE(rows_of_every_type().size(), 2u);
}

}  // namespace
