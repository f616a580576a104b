// Tuning tables: what is found, what is not, and what is refused.
#include "tuning/tuned.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "tests/support/refusal.hpp"

namespace {

using namespace carat;
using tuning::tuned_case;
using tuning::tuned_table;

constexpr const char* text = R"({"schema": 1, "cases": [
  {"device": "GPU X", "implementation": "cuda.engine", "types": "bf16,bf16,f32", "layout": "nt",
   "m": 16, "n": 32, "k": 64, "tunables": {"tile": 64, "parts": 2}, "date": "2026-11-22"}]})";

constexpr core::tunable known[] = {{"tile", 0, 0, 256, "columns"}, {"parts", 0, 0, 8, "of K"}};

core::problem by_columns_b() {
    core::problem p = core::row_major_problem(dtype::bf16, 16, 32, 64);
    p.c_type = dtype::f32;
    p.b_layout = core::column_major(64);
    return p;
}

TEST(tuned, a_case_is_found_and_no_other) {
    const tuned_table table(text, "a file");
    core::problem p = by_columns_b();
    const auto* way = table.find(tuned_case("GPU X", "cuda.engine", p), known);
    ASSERT_NE(way, nullptr);
    EXPECT_EQ(*way, (core::tunable_values{{"parts", 2}, {"tile", 64}}));
    EXPECT_EQ(table.find(tuned_case("GPU Y", "cuda.engine", p), known), nullptr);
    EXPECT_EQ(table.find(tuned_case("GPU X", "cuda.engine.tf32", p), known), nullptr);
    p.m = 17;
    EXPECT_EQ(table.find(tuned_case("GPU X", "cuda.engine", p), known), nullptr);
    p = by_columns_b();
    p.c_type = dtype::bf16;
    EXPECT_EQ(table.find(tuned_case("GPU X", "cuda.engine", p), known), nullptr);
    p = by_columns_b();
    p.b_layout = core::row_major(32);
    EXPECT_EQ(table.find(tuned_case("GPU X", "cuda.engine", p), known), nullptr);
}

// The engine found no tile for a value beyond its range.
TEST(tuned, a_way_that_an_implementation_can_not_take_is_refused_by_its_case) {
    const std::string name = tuned_case("GPU X", "cuda.engine", by_columns_b());
    const auto with = [](const std::string& tunable) {
        return std::string(text).replace(std::string(text).find("\"tile\": 64"), 10, tunable);
    };
    const auto refusal = [&](const std::string& tunable) {
        return test::refusal_of(
            [&] { (void)tuned_table(with(tunable), "mine.json").find(name, known); },
            error_code::invalid_argument);
    };
    const std::string start = "mine.json: GPU X/cuda.engine/bf16,bf16,f32/nt/16x32x64: ";
    const std::string end = "; write it anew with carat tune";
    EXPECT_EQ(refusal(R"("tile": 256)"), "");
    EXPECT_EQ(refusal(R"("tile": 257)"), start + "tile 257 is outside 0 to 256 (columns)" + end);
    EXPECT_EQ(refusal(R"("tile": -1)"), start + "tile -1 is outside 0 to 256 (columns)" + end);
    EXPECT_EQ(refusal(R"("width": 64)"),
              start +
                  "it has no tunable 'width' to set to 64, but tile (0 to 256) and parts (0 to 8) "
                  "(carat list NAME shows them)" +
                  end);
    EXPECT_EQ(
        refusal(R"("tile": 64.5)"),
        "mine.json: cases[0].tunables is {\"tile\":64.5,\"parts\":2}, expected an object, each "
        "element a whole number: no table of carat tune; write it anew");
    EXPECT_EQ(tuned_table(with(R"("tile": 257)"), "").find(name, known), nullptr);
}

TEST(tuned, layouts_that_no_table_has_have_no_name) {
    core::problem p = by_columns_b();
    p.c_layout = core::column_major(16);
    EXPECT_EQ(tuned_case("GPU X", "cuda.engine", p), "");
    p = by_columns_b();
    p.a_layout = {200, 3};
    EXPECT_EQ(tuned_case("GPU X", "cuda.engine", p), "");
}

TEST(tuned, what_is_no_table_is_refused_by_its_name) {
    for (const char* wrong :
         {"", "{", "[]", R"({"schema": 2, "cases": []})", R"({"schema": 1})",
          R"({"schema": 1, "cases": [{"device": "GPU X"}]})", R"({"schema": 1, "cases": 3})",
          R"({"schema": "1", "cases": []})", R"({"schema": 1, "cases": [7]})"})
        test::expect_refusal([&] { (void)tuned_table(wrong, "mine.json"); },
                             error_code::invalid_argument, {"mine.json"});
}

TEST(tuned, a_table_that_is_not_to_be_read_is_no_name_of_a_file) {
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    setenv("CARAT_TUNED", "mine.json", 1);
    EXPECT_EQ(tuning::tuned_file(), "mine.json");
    setenv("CARAT_TUNED", "none", 1);
    EXPECT_EQ(tuning::tuned_file(), "/somewhere/carat/tuned.json");
}

TEST(tuned, a_table_nested_without_end_is_refused) {
    test::expect_refusal([] { (void)tuned_table(std::string(100'000, '['), "mine.json"); },
                         error_code::invalid_argument, {"mine.json: is nested deeper"});
}

// Tables are read once in a process.
TEST(tuned, a_file_that_is_not_there_is_told) {
    setenv("CARAT_TUNED", "/no/such/table.json", 1);
    EXPECT_EQ(
        test::refusal_of([] { (void)tuning::tuned(); }, error_code::invalid_argument),
        "CARAT_TUNED=/no/such/table.json: can't be read (No such file or directory); name a file "
        "that is there and that carat tune wrote, or none");
}

}  // namespace
