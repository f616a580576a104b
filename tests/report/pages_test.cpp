// The two written forms: nothing in the data can end its element in the page or break a table.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/report/page.hpp"
#include "lab/report/report.hpp"
#include "sample.hpp"

namespace {

using sample::document;
using sample::json;

// The text of the page between a tag and the next end of a script.
std::string embedded(const std::string& page, const std::string& id) {
    const std::string tag = "<script type=\"application/json\" id=\"" + id + "\">";
    const auto start = page.find(tag);
    if (start == std::string::npos) return "";
    const auto from = start + tag.size();
    return page.substr(from, page.find("</script", from) - from);
}

std::size_t occurrences(std::string_view text, std::string_view wanted) {
    std::size_t found = 0;
    for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) ++found;
    return found;
}

document hostile() {
    document doc = sample::two();
    const std::string evil = "</script><!--<script>alert(1)</script>&\"'`|\\\n";
    doc.machine["cpu_model"] = evil;
    doc.results[0].implementation = "cpu." + evil;
    doc.comparisons[0].pairs[0].a = "cpu." + evil;
    doc.results.push_back(sample::absent("vendor.x", evil));
    return doc;
}

TEST(page, holds_the_results_unchanged) {
    const document doc = hostile();
    const std::string page = carat::report::html(doc);
    EXPECT_EQ(json::parse(embedded(page, "results")), carat::results::to_json(doc));
    EXPECT_TRUE(json::parse(embedded(page, "digest")).contains("views"));
}

TEST(page, gives_data_no_way_out_of_their_element) {
    const std::string plain = carat::report::html(sample::two());
    const std::string page = carat::report::html(hostile());
    EXPECT_EQ(occurrences(page, "</script"), occurrences(plain, "</script"));
    EXPECT_EQ(occurrences(page, "<!--"), occurrences(plain, "<!--"));
    EXPECT_EQ(embedded(page, "results").find('<'), std::string::npos);
    EXPECT_EQ(embedded(page, "digest").find('<'), std::string::npos);
}

TEST(page, survives_text_that_is_not_utf8) {
    document doc = sample::two();
    doc.machine["cpu_model"] = "bad \xff byte";
    const json kept = json::parse(embedded(carat::report::html(doc), "results"));
    EXPECT_EQ(kept["machine"]["cpu_model"], "bad \uFFFD byte");
}

TEST(page, is_whole_small_and_asks_for_nothing) {
    const std::string_view page = carat::report::page();
    EXPECT_LT(page.size(), 2'000'000U);
    EXPECT_GT(page.size(), 200'000U);  // Chart.js is in it
    EXPECT_EQ(page.find("{{style}}"), page.npos);
    EXPECT_EQ(page.find("{{chart}}"), page.npos);
    EXPECT_EQ(page.find("{{script}}"), page.npos);
    EXPECT_NE(page.find("default-src 'none'"), page.npos);
    for (const std::string_view fetching : {" src=", "@import", "<link", "fetch(", "import("}) {
        EXPECT_EQ(page.find(fetching), page.npos) << fetching;
    }
    // An address that begins with # is a place in the page itself.
    for (auto at = page.find("url("); at != page.npos; at = page.find("url(", at + 1))
        EXPECT_TRUE(page.substr(at).starts_with("url(#")) << page.substr(at, 80);
}

std::vector<std::string> table_rows(const std::string& text) {
    std::vector<std::string> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("| ") && line.find("implementation") == line.npos)
            rows.push_back(line);
    }
    return rows;
}

TEST(markdown, has_one_row_for_each_figure_fastest_first) {
    const std::string text = carat::report::markdown(sample::two());
    EXPECT_EQ(table_rows(text),
              (std::vector<std::string>{
                  "| 1 | `cpu.fast` | 100.0 | 99.00 to 101.0 | 50.0 | 1.00 | a | 6.60 | 12.30 | "
                  "0.1000 |",
                  "| 2 | `cpu.slow` | 50.00 | 49.50 to 50.50 | 25.0 | 2.00 | a | 6.60 | 12.30 | "
                  "0.1000 |"}));
    EXPECT_NE(text.find("## f64 100 × 100 × 100, 2 threads"), std::string::npos);
    EXPECT_NE(text.find("On A processor"), std::string::npos);
}

TEST(markdown, writes_dashes_for_what_was_not_measured) {
    document doc = sample::file({sample::result("cpu.a", 100)});
    carat::results::result& of = doc.results[0];
    of.ci95_gflops = carat::results::unbounded;
    of.percent_of_roofline = of.cold_s = of.prepare_s = 0;
    of.verification = "none";
    of.group.clear();
    EXPECT_EQ(table_rows(carat::report::markdown(doc)),
              std::vector<std::string>{"| 1 | `cpu.a` | 100.0 | - | - | 1.00 | - | - | - | - |"});
}

TEST(markdown, tells_of_a_gpu_what_is_known) {
    document doc = sample::file({sample::result("cuda.a", 100, 2, "cuda")});
    carat::results::result& of = doc.results[0];
    of.gpu.emplace();
    of.gpu->clock_mhz = {.median = 1980};
    of.gpu->power_w = 512.3;
    of.gpu->joules_per_gflop = 0.0123;
    of.gpu->throttle_reasons = {"sw_power_cap", "hw_slowdown"};
    of.kernels = {{.name = "first", .registers = 20},
                  {.name = "a", .registers = 127, .occupancy = 0.25}};
    EXPECT_EQ(table_rows(carat::report::markdown(doc)).back(),
              "| `cuda.a` | 1980 | 512 | 0.0123 | - | sw_power_cap, hw_slowdown | 127 | 0 | 0 | "
              "0.25 |");
    of.gpu.emplace();
    of.kernels.clear();
    EXPECT_EQ(table_rows(carat::report::markdown(doc)).back(),
              "| `cuda.a` | - | - | - | - | - | - | - | - | - |");
    of.gpu.reset();
    EXPECT_EQ(table_rows(carat::report::markdown(doc)).size(), 1u);
}

document with_crossover() {
    document doc = sample::two();
    doc.results[1].device = "cuda";
    carat::results::phases& phases = doc.results[1].end_to_end.emplace();
    phases.host_memory = "pinned";
    for (const char* name : {"allocate", "copy_in", "compute", "copy_out", "free"})
        phases.parts.push_back({name, 1e-3, {9e-4, 2e-3}});
    phases.total.median_s = 5e-3;
    phases.total_trials_s = {5e-3};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto point = [](int n, double cpu_s, double gpu_s) {
        return carat::results::crossover_point{.n = n,
                                               .cpu = "cpu.slow",
                                               .cpu_s = cpu_s,
                                               .gpu_s = gpu_s,
                                               .ci95_cpu_s = {0.1, infinity},
                                               .ci95_gpu_s = {0.1, 9}};
    };
    doc.crossovers = {{.gpu = "cpu.fast",
                       .dtype = "f64",
                       .host_memory = "pinned",
                       .threads = 2,
                       .outcome = "crosses",
                       .n = 40.6,
                       .ci95 = {-infinity, 44.4},
                       .changes = 3,
                       .points = {point(8, 1, 2), point(64, 2, 1)}}};
    return doc;
}

TEST(markdown, shows_phases_and_the_crossover) {
    const std::string text = carat::report::markdown(with_crossover());
    EXPECT_NE(text.find("| `cpu.fast` | 1.000 | 1.000 | - | 1.000 | 1.000 | 1.000 | 5.000 | "
                        "pinned |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("`cpu.fast` beats the best CPU implementation from N = 41 on (95 % CI "
                        "below the sizes measured to 44), in f64, copies from pinned memory and "
                        "all else included; the winner changes more than once."),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("| 8 | `cpu.slow` | 1000 | 2000 |"), std::string::npos) << text;
    EXPECT_NE(text.find("| 64 | `cpu.slow` | 2000 | **1000** |"), std::string::npos) << text;
    EXPECT_EQ(carat::report::markdown(sample::two()).find("GPU pays"), std::string::npos);
}

TEST(markdown, says_always_and_never_without_a_size) {
    document doc = with_crossover();
    doc.crossovers[0].n.reset();
    doc.crossovers[0].outcome = "always";
    EXPECT_NE(carat::report::markdown(doc).find("at every size from N = 8 on"), std::string::npos);
    doc.crossovers[0].outcome = "never";
    EXPECT_NE(carat::report::markdown(doc).find("does not beat the best CPU implementation up "
                                                "to N = 64"),
              std::string::npos);
}

TEST(markdown, keeps_hostile_text_inside_its_result) {
    const std::string text = carat::report::markdown(hostile());
    const auto rows = table_rows(text);
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& row : rows) {
        const auto bars = std::count(row.begin(), row.end(), '|');
        EXPECT_EQ(bars - static_cast<std::ptrdiff_t>(occurrences(row, "\\|")), 11) << row;
    }
    EXPECT_EQ(occurrences(text, "<script"), occurrences(text, "\\<script"));
    EXPECT_NE(text.find("## Unavailable"), std::string::npos);
}

TEST(markdown, lists_refused_results_below_their_table) {
    auto wrong = sample::result("cpu.wrong", 900);
    wrong.verified = false;
    const std::string text =
        carat::report::markdown(sample::file({wrong, sample::result("cpu.fine", 10)}));
    EXPECT_NE(text.find("- `cpu.wrong`: failed verification"), std::string::npos) << text;
}

}  // namespace
