// Where the products of a batch are, and what is said of what can't be done.
#include "lab/rows/operation.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>

#include <carat/error.hpp>

#include "lab/rows/group_sizes.hpp"
#include "tests/support/refusal.hpp"

namespace {

using namespace carat;

rows::operation batch(std::int64_t count, rows::placement lies = rows::placement::strided) {
    return {core::row_major_problem(dtype::f64, 3, 5, 7), count, lies};
}

TEST(operations, products_lie_one_after_the_other_however_their_lines_lie) {
    rows::operation all = batch(4);
    EXPECT_EQ(distances_of(all).a, 21);
    EXPECT_EQ(distances_of(all).c, 15);
    all.one.a_layout = core::column_major(3 + 2);  // two elements between columns
    EXPECT_EQ(distances_of(all).a, 7 * 5);
    const rows::whole_matrix a = whole_a(all);
    EXPECT_EQ(a.rows, 3);
    EXPECT_EQ(a.cols, 4 * 7);
    EXPECT_EQ(a.where.row_stride + (a.cols - 1) * a.where.col_stride, 1 + 27 * 5);
    // A row by columns has both strides 1.
    all.one = core::row_major_problem(dtype::f64, 1, 5, 7);
    all.one.c_layout = core::column_major(1);
    EXPECT_EQ(distances_of(all).c, 5);
    EXPECT_EQ(whole_c(all).cols, 20);
}

TEST(operations, each_product_has_operands_of_its_own) {
    const rows::operation all = batch(4);
    std::array<double, 4 * 35> memory{};
    const core::operands data{memory.data(), memory.data(), memory.data()};
    const core::operands third = product_at(all, data, 2);
    EXPECT_EQ(third.a, memory.data() + 42);
    EXPECT_EQ(third.b, memory.data() + 70);
    EXPECT_EQ(third.c, memory.data() + 30);
    EXPECT_EQ(third.e, nullptr);
}

TEST(operations, addresses_are_of_all_products_and_at_no_one_distance) {
    for (const std::int64_t count : {2, 3, 8, 9}) {
        const rows::operation all = batch(count, rows::placement::pointers);
        std::set<std::int64_t> seen, distances;
        for (std::int64_t i = 0; i < count; ++i) {
            seen.insert(shuffled(all, i));
            if (i > 0) distances.insert(shuffled(all, i) - shuffled(all, i - 1));
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
        EXPECT_EQ(*seen.begin(), 0);
        EXPECT_EQ(*seen.rbegin(), count - 1);
        EXPECT_EQ(distances.size() > 1, count > 2);
    }
    EXPECT_EQ(shuffled(batch(9), 5), 5);
}

TEST(operations, what_is_asked_has_words) {
    EXPECT_EQ(describe(rows::call{}), "");
    EXPECT_EQ(describe(rows::call{.batch = 64}), "batch 64");
    EXPECT_EQ(describe(rows::call{.batch = 2, .lies = rows::placement::pointers, .beta = -0.5}),
              "batch 2 by pointers, beta -0.5");
    EXPECT_EQ(describe(rows::call{.out = dtype::bf16}), "into bf16");
    EXPECT_EQ(rows::sized({}, 2, 3, 4), "2x3x4");
    EXPECT_EQ(rows::sized({.batch = 64}, 2, 3, 4), "64 x 2x3x4");
    EXPECT_EQ(describe(rows::call{.groups = "3,0,2", .beta = 1}), "groups 3,0,2, beta 1");
    EXPECT_EQ(rows::sized({.groups = "3,0,2"}, 5, 3, 4), "3 groups, 5x3x4");
}

// C(0, 0) says how often it ran.
class counting final : public rows::runnable {
  public:
    void run(const core::operands& data) override { *static_cast<double*>(data.c) += 1; }
};

constexpr core::signature f64_only[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"}};

TEST(operations, who_has_no_batches_says_so_and_a_loop_runs_each_once) {
    rows::implementation single{.name = "test.single", .summary = "", .signatures = f64_only};
    EXPECT_EQ(rows::reason_against(single, batch(1), {}), "");
    EXPECT_EQ(rows::reason_against(single, batch(2), {}), "it has no batches");
    single.prepare_operation = [](const rows::operation& all, const core::settings&) {
        return loop_over([](const core::problem&) { return std::make_unique<counting>(); }, all);
    };
    EXPECT_EQ(rows::reason_against(single, batch(2), {}), "");
    const rows::operation all = batch(3, rows::placement::pointers);
    std::array<double, 3 * 35> memory{};
    rows::prepare(single, all, {})->run({memory.data(), memory.data(), memory.data()});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(memory[i * 15], 1);
}

rows::operation group(std::string_view rows) {
    rows::call asked;
    asked.groups = rows;
    return rows::operation_of(core::row_major_problem(dtype::f64, 1, 5, 7), asked);
}

TEST(operations, products_of_a_group_are_rows_of_one_a_and_c_and_have_a_b_each) {
    rows::operation all = group("3,0,2");
    EXPECT_EQ(all.count, 3);
    EXPECT_EQ(all.one.m, 5);
    EXPECT_EQ(problem_of(all, 2).m, 2);
    EXPECT_EQ(largest_of(all).m, 3);
    EXPECT_EQ(whole_a(all).rows, 5);
    EXPECT_EQ(whole_b(all).rows, 3 * 7);
    EXPECT_EQ(whole_c(all).rows, 5);
    EXPECT_EQ(multiply_adds(all), 5 * 5 * 7);
    EXPECT_EQ(elements_of(all).b, 2 * 5 * 7);  // nobody reads the second
    std::array<double, 3 * 35> memory{};
    const core::operands data{memory.data(), memory.data(), memory.data()};
    EXPECT_EQ(product_at(all, data, 2).a, memory.data() + 3 * 7);
    EXPECT_EQ(product_at(all, data, 2).b, memory.data() + 2 * 35);
    EXPECT_EQ(product_at(all, data, 2).c, memory.data() + 3 * 5);
    all.one.a_layout = core::column_major(5);
    EXPECT_EQ(product_at(all, data, 2).a, memory.data() + 3);
}

TEST(operations, a_loop_over_a_group_makes_each_size_ready_once_and_runs_what_has_rows) {
    std::vector<std::int64_t> made;
    const rows::operation all = group("3,0,2,3");
    const auto loop = loop_over(
        [&](const core::problem& p) {
            made.push_back(p.m);
            return std::make_unique<counting>();
        },
        all);
    EXPECT_EQ(made, (std::vector<std::int64_t>{3, 2}));
    std::array<double, 4 * 35> memory{};
    loop->run({memory.data(), memory.data(), memory.data()});
    EXPECT_EQ(memory[0], 1);
    EXPECT_EQ(memory[3 * 5], 1);
    EXPECT_EQ(memory[5 * 5], 1);
}

TEST(operations, who_takes_batches_alone_says_so_of_a_group) {
    rows::implementation batches{.name = "test.batches", .summary = "", .signatures = f64_only};
    batches.prepare_operation = [](const rows::operation&, const core::settings&) {
        return std::unique_ptr<rows::runnable>();
    };
    EXPECT_EQ(rows::reason_against(batches, group("1,2"), {}), "it has no groups of products");
    batches.takes_groups = true;
    EXPECT_EQ(rows::reason_against(batches, group("1,2"), {}), "");
    // One product, told as a group, is no plain one.
    EXPECT_FALSE(group("4").is_plain());
}

TEST(groups, are_rows_of_each_or_drawn_from_a_seed) {
    EXPECT_EQ(rows::rows_of_groups("3,0,2"), (std::vector<std::int64_t>{3, 0, 2}));
    EXPECT_EQ(rows::rows_of_groups("7"), (std::vector<std::int64_t>{7}));
    EXPECT_EQ(rows::rows_of_groups("3,0,2:device"), rows::rows_of_groups("3,0,2"));
    EXPECT_EQ(rows::rows_of_groups("uneven:7:9/4:device"), rows::rows_of_groups("uneven:7:9/4"));
    const auto asked = [](const char* groups) {
        return rows::operation_of({}, rows::call{.groups = groups});
    };
    EXPECT_TRUE(asked("3,0,2:device").sizes_on_device);
    EXPECT_FALSE(asked("3,0,2").sizes_on_device);
    const auto drawn = rows::rows_of_groups("uneven:7:4096/64");
    EXPECT_EQ(drawn.size(), 64u);
    EXPECT_EQ(rows::sum_of(drawn), 4096);
    EXPECT_GT(std::ranges::max(drawn), 100);
    EXPECT_EQ(drawn, rows::rows_of_groups("uneven:7:4096/64"));
    EXPECT_NE(drawn, rows::rows_of_groups("uneven:8:4096/64"));
    for (const char* wrong :
         {"", "-1", "x", "1,", ",1", "0,0", "1.5", "3000000000", "2147483648,1",
          "uneven:", "uneven:1:2", "uneven:1:0/4", "uneven:1:9/0", "uneven:1:9/4/2",
          "uneven:1:9/65537", ":device", "3:devices", "3:device:device", "2147483648:device"})
        test::expect_refusal([&] { (void)rows::rows_of_groups(wrong); },
                             error_code::invalid_argument, {"--groups"});
}

}  // namespace
