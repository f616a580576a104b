// Look-ups by name, and the reasons an entry gives for not running.
#include "lab/rows/catalogue.hpp"

#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "tests/support/refusal.hpp"

namespace {

using namespace carat;
using rows::implementation;

constexpr core::signature f64_only[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"}};
constexpr core::tunable tile[] = {{"tile-size", 64, 1, 4096, "edge of a tile"}};
const implementation tiled{
    .name = "cpu.ladder.tiled", .summary = "", .signatures = f64_only, .tunables = tile};
const implementation gpu_tiled{.name = "cuda.ladder.tiled",
                               .summary = "",
                               .where = rows::device::cuda,
                               .signatures = f64_only};
const implementation naive{.name = "cpu.ladder.naive", .summary = "", .signatures = f64_only};
const implementation* const cpu_rows[] = {&naive, &tiled};
const implementation* const gpu_rows[] = {&gpu_tiled};
const implementation other_tiled{.name = "cpu.other.tiled", .summary = "", .signatures = f64_only};
const implementation* const other_rows[] = {&other_tiled};

std::string message_of(const rows::catalogue& c, std::string_view name) {
    return test::refusal_of([&] { (void)c.find(name); });
}

TEST(catalogue, finds_full_names_and_unambiguous_tails) {
    const rows::catalogue c({rows::table(cpu_rows), rows::table(gpu_rows)});
    EXPECT_EQ(&c.find("cpu.ladder.tiled"), &tiled);
    EXPECT_EQ(&c.find("naive"), &naive);
    EXPECT_EQ(&c.find("ladder.naive"), &naive);
}

TEST(catalogue, ambiguity_names_the_candidates_and_a_typo_the_nearest) {
    const rows::catalogue c({rows::table(cpu_rows), rows::table(other_rows)});
    EXPECT_NE(message_of(c, "tiled").find("cpu.ladder.tiled, cpu.other.tiled"), std::string::npos);
    EXPECT_NE(message_of(c, "naiv").find("nearest is cpu.ladder.naive"), std::string::npos);
    EXPECT_NE(message_of(c, "NAIVE").find("nearest is cpu.ladder.naive"), std::string::npos);
    EXPECT_NE(message_of(c, "iled").find("unknown"), std::string::npos);
}

TEST(catalogue, names_of_a_gpu_have_no_neighbours_in_a_build_without_cuda) {
    const rows::catalogue cpu({rows::table(cpu_rows)});
    for (const char* name : {"cublas", "vendor.cublaslt", "cuda.engine", "cuda.ladder.tiled"})
        EXPECT_EQ(
            message_of(cpu, name),
            "implementation '" + std::string(name) +
                "' is for a GPU, and this build was made without CUDA (carat list shows all)");
    const rows::catalogue both({rows::table(cpu_rows), rows::table(gpu_rows)});
    EXPECT_NE(message_of(both, "cuda.ladder.tild").find("nearest is cuda.ladder.tiled"),
              std::string::npos);
}

TEST(catalogue, a_tail_that_both_devices_have_means_the_preferred_one) {
    const rows::catalogue c({rows::table(cpu_rows), rows::table(gpu_rows)});
    EXPECT_EQ(&c.find("tiled"), &tiled);
    EXPECT_EQ(&c.find("tiled", rows::device::cuda), &gpu_tiled);
}

TEST(catalogue, refuses_two_rows_of_one_name) {
    EXPECT_THROW(rows::catalogue({rows::table(cpu_rows), rows::table(cpu_rows)}), std::logic_error);
}

TEST(reason_against, names_type_tunable_and_range) {
    core::settings s;
    EXPECT_EQ(reason_against(tiled, core::row_major_problem(dtype::f64, 2, 2, 2), s), "");
    EXPECT_NE(reason_against(tiled, core::row_major_problem(dtype::i32, 2, 2, 2), s).find("i32"),
              std::string::npos);
    s.tunables["tile-size"] = 0;
    EXPECT_NE(
        reason_against(tiled, core::row_major_problem(dtype::f64, 2, 2, 2), s).find("1 to 4096"),
        std::string::npos);
    s.tunables = {{"tile", 8}};
    EXPECT_NE(reason_against(tiled, core::row_major_problem(dtype::f64, 2, 2, 2), s).find("'tile'"),
              std::string::npos);
}

TEST(problem, extents_and_overflow) {
    EXPECT_EQ(core::extent_elements(3, 4, {10, 1}), 24);
    EXPECT_EQ(core::extent_elements(0, 4, {10, 1}), 0);
    EXPECT_THROW((void)core::extent_elements(std::int64_t{1} << 40, 2, {std::int64_t{1} << 40, 1}),
                 error);
}

}  // namespace
