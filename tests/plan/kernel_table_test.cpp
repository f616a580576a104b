// The table of kernels says of itself what plans, names and launches rely on.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cuda/families/wgmma/config.hpp"
#include "plan/gemm_cost.hpp"
#include "tests/plan/gemm_case.hpp"

namespace {

using namespace carat;
using namespace carat::test;
using core::kernel_desc;
using core::kernel_name;
using cuda::wgmma::kernel_table;

TEST(kernel_table, names_each_kernel_differently) {
    std::set<std::string_view> names;
    std::vector<kernel_name> all;
    all.reserve(kernel_table.size());
    for (const kernel_desc& d : kernel_table) all.emplace_back(d);
    for (const kernel_name& n : all) EXPECT_TRUE(names.insert(n.view()).second) << n.view();
    EXPECT_TRUE(names.contains("wgmma_bf16_bf16_128x256x64_2x1_cooperative_kn"));
    EXPECT_TRUE(names.contains("wgmma_e4m3_e4m3_192x128x128_1x2_cooperative_promoted_kk"));
    EXPECT_TRUE(names.contains("wgmma_f32_f32_128x256x32_2x1_cooperative_stream_k_3xtf32_kk"));
}

TEST(kernel_table, holds_what_the_instructions_can_do) {
    for (const kernel_desc& d : kernel_table) {
        SCOPED_TRACE(kernel_name(d).view());
        EXPECT_EQ(d.arch, 90);
        EXPECT_EQ(d.block_m % 64, 0) << "a warpgroup's rows";
        EXPECT_EQ(d.block_n % 8, 0);
        EXPECT_LE(d.block_n, 256);
        if (!is_half(d.a_type)) {
            EXPECT_EQ(d.b_major, operand_major::k) << "wgmma reads it along K only";
        }
        if (d.b_major == operand_major::mn) {
            EXPECT_GE(d.block_n, d.block_k()) << "whole lines";
        }
        // A CTA's share of A or B begins with a swizzle atom, eight lines.
        EXPECT_EQ(d.block_n % (8 * std::max(d.cluster_m, d.most_cluster_m)), 0);
        const int lines_of_a = d.a_major == operand_major::k ? d.block_m : d.block_k();
        EXPECT_EQ(lines_of_a % (8 * (d.is_persistent() ? d.cluster_n : plan::most_cluster_n)), 0);
        if (d.is_persistent()) {
            EXPECT_TRUE(d.cluster_m * d.cluster_n == 2 || d.batched);
            EXPECT_EQ(d.most_split_k, 1);
            EXPECT_FALSE(d.grouped);
        } else {
            EXPECT_FALSE(d.stream_k || d.glu || d.batched);
        }
    }
}

template <std::size_t Row>
bool plan_counts_as_kernel() {
    constexpr kernel_desc desc = kernel_table[Row];
    using config = cuda::wgmma::config<double, desc>;
    if (config::max_ctas_per_sm != plan::most_ctas_per_sm(desc)) return false;
    for (int split_k = 1; split_k <= desc.most_split_k; split_k *= 2)
        for (int ctas = 1; ctas <= config::max_ctas_per_sm; ++ctas)
            if (config::stages_that_fit(split_k, ctas) !=
                plan::stages_that_fit(desc, split_k, ctas)) {
                ADD_FAILURE() << kernel_name(desc).view() << ": K in " << split_k << ", " << ctas
                              << " to an SM: " << config::stages_that_fit(split_k, ctas)
                              << " stages, the plan says "
                              << plan::stages_that_fit(desc, split_k, ctas);
            }
    return true;
}

template <std::size_t... Row>
bool plan_counts_as_kernels(std::index_sequence<Row...>) {
    return (plan_counts_as_kernel<Row>() && ...);
}

TEST(kernel_table, has_as_many_ctas_and_stages_on_an_sm_as_the_plan_counts) {
    EXPECT_TRUE(plan_counts_as_kernels(std::make_index_sequence<kernel_table.size()>()));
}

bool can_be_asked_for(const kernel_desc& d) {
    for (const bool swap_ab : {false, true})
        for (const int layout_of_c : {0, 1, 2, 3})
            for (const auto& [m, n] :
                 {std::pair{64, 64}, {5000, 5000}, {64, 160}, {160, 64}, {64, 5000}, {5000, 64}}) {
                gemm_request of{.m = m, .n = n, .k = 4096};
                of.a_type = swap_ab ? d.b_type : d.a_type;
                of.b_type = swap_ab ? d.a_type : d.b_type;
                of.accumulate = d.accumulate;
                of.a_major = swap_ab ? d.b_major : d.a_major;
                of.b_major = swap_ab ? d.a_major : d.b_major;
                of.c_by_rows = layout_of_c % 2 == 0;
                of.batch = d.batched ? 2 : 1;
                of.asked = {.block_m = d.block_m,
                            .block_n = d.block_n,
                            .schedule = d.schedule,
                            .stream_k = d.stream_k ? choice::yes : choice::no,
                            .swaps_for_c_only = layout_of_c >= 2};
                const auto plan = plan::plan_gemm(of, h200);
                if (plan && plan->kernel == &d) return true;
            }
    return false;
}

TEST(kernel_table, has_no_kernel_that_nobody_can_ask_for) {
    for (const kernel_desc& d : kernel_table)
        EXPECT_TRUE(can_be_asked_for(d)) << kernel_name(d).view();
}

TEST(kernel_table, has_a_kernel_for_all_that_the_engine_multiplies) {
    for (const gemm_request& of : requests()) {
        SCOPED_TRACE(testing::PrintToString(of));
        EXPECT_TRUE(plan::plan_gemm(of, h200));
        EXPECT_EQ(plan::reason_against(of, h200), "");
    }
}

}  // namespace
