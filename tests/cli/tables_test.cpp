// The ranking that the terminal shows, of results that were recorded on a GPU and of made-up ones.
#include "cli/tables.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

#include "lab/compare/analyse.hpp"
#include "lab/results/files.hpp"

namespace {

using namespace carat;

results::result made(const std::string& name, double median_s, int threads, double roofline) {
    results::result c;
    c.implementation = name;
    c.device = "cpu";
    c.dtype = c.computes_in = "f64";
    c.m = c.n = c.k = 1000;
    c.threads = 2;
    c.threads_used = threads;
    c.available = c.verified = true;
    c.flop = 2e9;
    c.roofline_gflops = roofline;
    c.bound = "compute";
    for (int i = 0; i < 15; ++i) c.trials_s.push_back(median_s * (1 + 1e-4 * (i % 4)));
    c.trials_per_process = {5, 5, 5};
    return c;
}

std::string table_of(std::vector<results::result> rows) {
    results::comparison compared;
    compared.dtype = "f64";
    compared.m = compared.n = compared.k = 1000;
    compared.threads = 2;
    comparing::analyse_results(rows, {}, compared);
    cli::told_so_far told;
    return cli::ranking(rows, compared, false, told);
}

std::string line_with(const std::string& text, const std::string& words) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find(words) != line.npos) return line;
    return "";
}

// The largest bf16 case of what was recorded on an H200.
TEST(tables, of_a_gpu_name_it_without_threads_and_in_tflops) {
    const results::document doc = results::load(CARAT_RESULTS "/h200/narrow.json");
    const auto largest = std::ranges::max_element(doc.results, {}, &results::result::median_gflops);
    ASSERT_GT(largest->median_gflops, 5e5);
    std::vector<results::result> rows;
    for (const results::result& c : doc.results)
        if (c.dtype == largest->dtype && c.m == largest->m && c.n == largest->n &&
            c.k == largest->k)
            rows.push_back(c);
    const auto compared = std::ranges::find_if(doc.comparisons, [&](const auto& c) {
        return c.dtype == largest->dtype && c.m == largest->m && c.n == largest->n &&
               c.k == largest->k;
    });
    ASSERT_NE(compared, doc.comparisons.end());
    cli::told_so_far told;
    told.gpu = "NVIDIA H200";
    const std::string text = cli::ranking(rows, *compared, false, told);
    const std::string head = text.substr(0, text.find('\n'));
    EXPECT_NE(head.find(", NVIDIA H200; roofline 930.2 TFLOP/s"), std::string::npos) << head;
    EXPECT_EQ(head.find("thread"), std::string::npos) << head;
    EXPECT_NE(line_with(text, "implementation").find("TFLOP/s"), std::string::npos) << text;
    EXPECT_NE(line_with(text, "vendor.cublaslt_best").find(" 836.6 "), std::string::npos) << text;
}

TEST(tables, have_one_roofline_whatever_the_order_of_the_rows) {
    std::vector<results::result> rows = {made("serial", 0.1, 1, 50),
                                         made("threaded", 0.025, 2, 100)};
    for (int i = 0; i < 2; ++i) {
        const std::string text = table_of(rows);
        EXPECT_NE(text.find("f64 1000x1000x1000, 2 threads; roofline 100.0 GFLOP/s (compute)"),
                  std::string::npos)
            << text;
        EXPECT_NE(line_with(text, "serial").find(" 20.0 "), std::string::npos) << text;
        EXPECT_NE(line_with(text, "threaded").find(" 80.0 "), std::string::npos) << text;
        std::ranges::reverse(rows);
    }
}

TEST(tables, say_what_is_known_on_a_busy_machine) {
    std::vector<results::result> rows = {made("slow", 0.1, 2, 100), made("near", 0.02, 2, 100),
                                         made("fast", 0.0199, 2, 100)};
    for (results::result& c : rows) c.busy = "other work took 40 %";
    std::string text = table_of(rows);
    EXPECT_NE(text.find("fast"), std::string::npos);
    EXPECT_LT(text.find("fast"), text.find("near")) << text;
    EXPECT_NE(text.find("that it could change are left out; other\n      work took 40 %"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("leads"), std::string::npos) << text;
    rows.erase(rows.begin() + 1);
    text = table_of(rows);
    EXPECT_NE(text.find("fast leads, at least 5.02× as fast as slow"), std::string::npos) << text;
}

// A row among thirty noisy ones may belong to a dozen groups that do not follow each other.
TEST(tables, keep_rows_of_many_groups_within_the_line) {
    std::vector<results::result> rows = {made("slow", 0.1, 2, 100), made("fast", 0.02, 2, 100)};
    results::comparison compared;
    compared.dtype = "f64";
    compared.m = compared.n = compared.k = 1000;
    comparing::analyse_results(rows, {}, compared);
    for (results::result& c : rows) c.few_trials = true;
    for (const std::string group :
         {"acegikm", "acegikmoqsuwy", "acegikmoqsuwyACEGIKMOQSUWYacegikmoqsuwy"}) {
        rows[0].group = group;
        cli::told_so_far told;
        const std::string line = line_with(cli::ranking(rows, compared, false, told), "slow");
        const auto columns = std::ranges::count_if(
            line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
        EXPECT_LE(columns, 80) << line;
        EXPECT_TRUE(line.ends_with(" *")) << line;
    }
}

TEST(tables, of_one_disturbed_row_rank_the_others) {
    std::vector<results::result> rows = {made("naive", 2, 2, 100), made("tiled", 0.2, 2, 100),
                                         made("engine", 0.02, 2, 100)};
    rows[0].busy = "its threads waited";
    const std::string text = table_of(rows);
    EXPECT_EQ(line_with(text, "engine").substr(0, 3), " 1 ") << text;
    EXPECT_EQ(line_with(text, "tiled").substr(0, 3), " 2 ") << text;
    EXPECT_EQ(line_with(text, "naive  ").substr(0, 3), " - ") << text;
    EXPECT_NE(line_with(text, "naive  ").find(" busy"), std::string::npos) << text;
    EXPECT_NE(line_with(text, "tiled").find(" slower"), std::string::npos) << text;
}

// An interval that reaches from a fifth of the median to five times it is no "±2.4e+02%".
TEST(tables, give_no_width_beyond_the_median_as_a_percentage) {
    results::result wild = made("wild", 0.02, 2, 100);
    for (int i = 0; i < 5; ++i) wild.trials_s[std::size_t(i)] *= 3;
    for (int i = 10; i < 15; ++i) wild.trials_s[std::size_t(i)] /= 3;
    const std::string text = table_of({wild, made("tame", 0.04, 2, 100)});
    EXPECT_EQ(text.find("e+"), std::string::npos) << text;
    EXPECT_NE(line_with(text, "wild").find("×÷"), std::string::npos) << text;
}

}  // namespace
