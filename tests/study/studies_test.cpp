// Each study over results made by hand, whose figures are known.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <tuple>

#include <carat/error.hpp>

#include "lab/study/published.hpp"
#include "lab/study/study.hpp"
#include "tests/support/refusal.hpp"

namespace {

using namespace carat;

results::result result(const std::string& implementation, const std::string& dtype, std::int64_t n,
                       double gflops) {
    results::result c;
    c.implementation = implementation;
    c.device = implementation.starts_with("cuda") || implementation.starts_with("vendor.cublas")
                   ? "cuda"
                   : "cpu";
    c.dtype = c.computes_in = dtype;
    c.m = c.n = c.k = n;
    c.available = c.verified = true;
    c.rank = 1;
    c.group = "a";
    c.flop = 2.0 * static_cast<double>(n * n * n);
    c.median_gflops = gflops;
    c.median_s = c.mean_s = c.flop / gflops / 1e9;
    c.ci95_mean_s = {0.9 * c.mean_s, 1.1 * c.mean_s};
    c.ci95_gflops = {0.9 * gflops, 1.1 * gflops};
    for (int i = -5; i <= 5; ++i) c.trials_s.push_back(c.median_s * (1 + 0.001 * i));
    c.cold_s = 3 * c.median_s;
    return c;
}

std::string text_of(const study::definition& s, const results::document& doc,
                    const study::options& how = {}) {
    std::string flat;  // however the sentences are broken into lines
    for (const char c : report::text(s.tell(doc, how)))
        if (c != '\n' && (c != ' ' || !flat.ends_with(' ')))
            flat += c;
        else if (!flat.ends_with(' '))
            flat += ' ';
    return flat;
}

void expect_says(const std::string& text, const std::string& what) {
    EXPECT_NE(text.find(what), std::string::npos) << what << " is not in\n" << text;
}

TEST(studies, are_found_by_name_and_a_wrong_name_lists_them) {
    EXPECT_EQ(study::find("all").size(), study::studies().size());
    const auto two = study::find("ladder,precision");
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[1]->name, "precision");
    for (const char* wrong : {"", "laddr", "ladder,", "ladder,,precision"})
        test::expect_refusal([&] { (void)study::find(wrong); }, error_code::invalid_argument,
                             {"unknown study", "five-algorithms"});
}

// A case measured by a second session of the same study would drop the first one's results.
TEST(studies, never_measure_a_case_twice) {
    for (const study::definition& s : study::studies())
        for (const study::extent e :
             {study::extent::quick, study::extent::usual, study::extent::full}) {
            std::set<std::tuple<std::string, dtype, std::int64_t, std::int64_t, std::int64_t>> seen;
            study::options how;
            how.how_much = e;
            for (const study::part& p : s.parts(how)) {
                const std::string asked = rows::describe(p.request.asked);
                for (const dtype type : p.request.types)
                    for (const request::shape& z : p.request.shapes)
                        EXPECT_TRUE(seen.insert({asked, type, z.m, z.n, z.k}).second) << s.name;
            }
            EXPECT_FALSE(seen.empty());
        }
}

TEST(studies, take_the_documents_sizes_when_full) {
    study::options how;
    how.how_much = study::extent::full;
    const request::measurement r =
        study::find("five-algorithms").front()->parts(how).front().request;
    EXPECT_EQ(r.shapes.size(), 10U);
    EXPECT_EQ(r.shapes.back().n, 10000);
    EXPECT_EQ(r.timing.trials, 30);
    EXPECT_EQ(r.convention, request::operation_count::exact);
}

TEST(studies, of_nothing_measured_say_what_is_missing) {
    results::document doc;
    results::result absent = result("vendor.openblas", "f64", 100, 1);
    absent.rank = 0;
    absent.verified = false;
    absent.available = false;
    absent.reason = "no OpenBLAS to use";
    doc.results.push_back(absent);
    for (const study::definition& s : study::studies())
        expect_says(text_of(s, doc), "no OpenBLAS to use");
}

TEST(studies, of_sizes_not_measured_say_how_many) {
    results::document doc;
    for (const std::int64_t n : {1000, 2000, 3000, 4000}) {
        doc.results.push_back(result("cpu.ladder.openmp", "f64", n, 20));
        if (n < 3000) continue;
        doc.results.back().rank = 0;
        doc.results.back().verified = false;
        doc.results.back().reason = "skipped: too long";
    }
    expect_says(text_of(study::five_algorithms, doc),
                "cpu.ladder.openmp (f64 3000 × 3000 × 3000 and 1 more): skipped: too long");
}

TEST(studies, say_a_reason_once_for_all_that_share_it) {
    results::document doc;
    for (const char* name : {"vendor.cublas", "vendor.openblas", "cuda.ladder.tiled"}) {
        doc.results.push_back(result(name, "f64", 1000, 20));
        doc.results.back().rank = 0;
        doc.results.back().verified = false;
        doc.results.back().reason = "no driver";
    }
    doc.results[1].reason = "not installed";
    expect_says(text_of(study::five_algorithms, doc),
                "vendor.cublas, cuda.ladder.tiled (f64 1000 × 1000 × 1000): no driver");
    expect_says(text_of(study::five_algorithms, doc),
                "vendor.openblas (f64 1000 × 1000 × 1000): not installed");
}

TEST(five_algorithms, ranks_and_stands_beside_the_document) {
    results::document doc;
    doc.results = {result("vendor.openblas", "f64", 1000, 40),
                   result("cpu.ladder.openmp", "f64", 1000, 20),
                   result("cpu.ladder.threads", "f64", 1000, 10)};
    const std::string text = text_of(study::five_algorithms, doc);
    expect_says(text, "BLAS (40.00 GFLOP/s, group a), OpenMP (20.00");
    expect_says(text, "63.80");  // the document's BLAS at 1000
}

TEST(five_algorithms, as_published_turns_the_order_round) {
    results::document doc;
    doc.results = {result("vendor.openblas", "f64", 1000, 40),
                   result("cpu.ladder.openmp", "f64", 1000, 20)};
    doc.results[0].prepare_s = 1;  // a handle made inside the clock
    study::options how;
    how.as_published = true;
    const study::chapter c = study::five_algorithms.tell(doc, how);
    expect_says(text_of(study::five_algorithms, doc, how), "resampled averages");
    const auto cold = std::ranges::find_if(
        c.tables, [](const study::table& t) { return t.title.starts_with("As published"); });
    ASSERT_NE(cold, c.tables.end());
    EXPECT_EQ(cold->rows[0][2], "2");  // place of the BLAS when timed so
    EXPECT_EQ(cold->rows[0][4], "1");  // and when warm
}

// Two of equal means and unequal medians: only what is tested on means finds nothing.
TEST(five_algorithms, as_published_resamples_means) {
    results::document doc;
    doc.results = {result("vendor.openblas", "f64", 1000, 10),
                   result("cpu.ladder.openmp", "f64", 1000, 10)};
    const double rates[2][3] = {{9, 10, 11}, {9.5, 9.5, 11}};
    for (std::size_t i = 0; i < 30; ++i)
        for (std::size_t which = 0; which < 2; ++which) {
            if (i == 0) doc.results[which].trials_s.clear();
            doc.results[which].trials_s.push_back(doc.results[which].flop / rates[which][i % 3] /
                                                  1e9);
        }
    study::options how;
    how.as_published = true;
    const std::string text = text_of(study::five_algorithms, doc, how);
    expect_says(text, "resampled averages of each at N = 1000 gives p = 0.");
    expect_says(text, "on the trials themselves p = 1.");
}

TEST(ladder, multiplies_steps_only_of_what_was_measured) {
    results::document doc;
    doc.results = {result("cpu.ladder.naive", "f32", 512, 2),
                   result("cpu.ladder.reordered", "f32", 512, 8),
                   result("cpu.ladder.multi_level", "f32", 512, 80)};
    const std::string text = text_of(study::ladder, doc);
    expect_says(text, "is worth 40.0× in all: 4.00× from the order of two loops, 10.0×");
}

TEST(ladder, tells_the_tensor_cores_apart_and_where_they_end) {
    results::document doc;
    doc.results = {result("cuda.ladder.mma", "bf16", 4096, 100e3),
                   result("cuda.ladder.stream_k", "bf16", 4096, 600e3),
                   result("vendor.cublas", "bf16", 4096, 800e3)};
    const std::string text = text_of(study::ladder, doc);
    expect_says(text, "Step by step, bf16, N = 4096");
    expect_says(text, "ends at 0.75 of cuBLAS, 6.00×");
}

TEST(ladder, measures_bf16_where_there_is_a_gpu) {
    study::options how;
    EXPECT_EQ(study::find("ladder").front()->parts(how).size(), 1U);
    how.on_gpu = true;
    const auto parts = study::find("ladder").front()->parts(how);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[1].request.types, std::vector{dtype::bf16});
    EXPECT_EQ(parts[1].request.asked.out, dtype::bf16);
}

TEST(ladder, takes_the_types_that_are_named) {
    study::options how;
    how.types = {dtype::f64, dtype::bf16};
    auto parts = study::ladder.parts(how);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].request.types, std::vector{dtype::f64});
    EXPECT_GE(parts[0].request.chosen.size(), 13U);
    EXPECT_EQ(parts[1].request.types, std::vector{dtype::bf16});
    EXPECT_GE(parts[1].request.chosen.size(), 1U);
    how.on_gpu = true;
    parts = study::ladder.parts(how);
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[2].request.asked.out, dtype::bf16);
    how.types = {dtype::f64};
    EXPECT_EQ(study::ladder.parts(how).size(), 1U);
}

TEST(ladder, leaves_the_documents_times_out_of_other_types) {
    results::document doc;
    doc.results = {result("cpu.ladder.naive", "f64", 512, 2),
                   result("cpu.ladder.reordered", "f64", 512, 8)};
    const study::chapter c = study::ladder.tell(doc, {});
    ASSERT_EQ(c.tables.size(), 1U);
    EXPECT_EQ(c.tables[0].title, "Step by step, f64, N = 512");
    ASSERT_EQ(c.tables[0].rows.size(), 2U);
    EXPECT_EQ(c.tables[0].rows[1][3], "4.00×");
    EXPECT_EQ(c.tables[0].rows[1].back(), "-");
}

TEST(tile_size, knows_reuse_and_the_level_that_holds_a_tile) {
    results::document doc;
    doc.machine["caches"] = {{{"level", 1}, {"kind", "data"}, {"size_bytes", 48 << 10}},
                             {{"level", 1}, {"kind", "instruction"}, {"size_bytes", 1 << 30}},
                             {{"level", 2}, {"kind", "unified"}, {"size_bytes", 1 << 20}}};
    const study::chapter c = study::tile_size.tell(doc, {});
    const auto& rows = c.tables.front().rows;
    EXPECT_EQ(rows[2], (std::vector<std::string>{"64", "48", "L1", "64", "16"}));
    EXPECT_EQ(rows[3], (std::vector<std::string>{"128", "192", "L2", "128", "32"}));
}

TEST(tile_size, turns_the_verdict_of_a_pair_the_right_way) {
    results::document doc;
    for (const auto& [tile, speed] : {std::pair{16, 10.0}, {32, 5.0}}) {
        results::result c =
            result("cpu.ladder.tiled[tile-size=" + std::to_string(tile) + "]", "f32", 512, speed);
        c.tunables["tile-size"] = tile;
        doc.results.push_back(c);
    }
    results::comparison compared;
    compared.dtype = "f32";
    compared.m = compared.n = compared.k = 512;
    results::pair p;
    p.a = doc.results[1].implementation;
    p.b = doc.results[0].implementation;
    p.ratio = 0.5;
    p.p = 1e-9;
    p.verdict = "slower";
    compared.pairs.push_back(p);
    doc.comparisons.push_back(compared);
    expect_says(text_of(study::tile_size, doc), "tile 16 against 32 is faster (2.00×)");
}

TEST(precision, names_what_each_row_computes_in) {
    results::document doc;
    // f64 data that a kernel rounds to f16 are not f64's speed.
    doc.results = {result("cpu.engine", "f64", 512, 10), result("cpu.engine", "bf16", 512, 100),
                   result("test.converted", "f64", 512, 50)};
    doc.results[1].computes_in = "f32";
    doc.results[2].computes_in = "f16";
    const std::string text = text_of(study::precision, doc);
    expect_says(text, "bf16 by cpu.engine) is 10.0× the speed of f64");
    expect_says(text, "35698");  // the document's figure
}

TEST(published, holds_the_documents_figures) {
    EXPECT_EQ(std::size(study::published::five_algorithms_means), 50U);
    EXPECT_EQ(study::published::find(study::published::five_algorithms_means, "CuBLAS", 10000),
              2950);
    EXPECT_FALSE(study::published::find(study::published::five_algorithms_means, "CuBLAS", 1));
    EXPECT_EQ(std::size(study::published::precision_points), 24U);
}

}  // namespace
