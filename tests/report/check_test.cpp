// A corrupt or foreign file must be refused with one line that names the field.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "lab/report/report.hpp"
#include "sample.hpp"
#include "tests/support/refusal.hpp"

namespace {

using nlohmann::json;

// What `carat report` says when it reads the file.
std::string refusal(const json& file) {
    return carat::test::refusal_of([&] { (void)carat::results::from_json(file, "x.json"); },
                                   carat::error_code::invalid_argument);
}

// An element of "crossovers" with some fields of its own.
json crossing(const json& own) {
    json one = carat::results::to_json(carat::results::crossover{.gpu = "g",
                                                                 .dtype = "f32",
                                                                 .host_memory = "pinned",
                                                                 .outcome = "crosses",
                                                                 .n = 40,
                                                                 .points = {{64, "c", 2, 1}}});
    one.update(own);
    return one;
}

struct corruption {
    std::function<void(json&)> apply;
    std::vector<std::string> told;  // all of these must be in the message
};

const std::vector<corruption> corruptions{
    {[](json& r) { r = json::array(); }, {"x.json:", "is not an object"}},
    {[](json& r) { r.erase("schema"); }, {"schema is missing"}},
    {[](json& r) { r["schema"] = 1; }, {"schema is 1", "reads 2"}},
    {[](json& r) { r["schema"] = "1"; }, {"schema is \"1\", expected a whole number"}},
    {[](json& r) { r.erase("machine"); }, {"machine is missing"}},
    {[](json& r) { r["results"][0]["background_cpu_share"] = 1.5; },
     {"results[0].background_cpu_share", "is 1.5", "0 to 1"}},
    {[](json& r) { r["machine"]["cpu_model"] = nullptr; },
     {"machine.cpu_model is null, expected a string"}},
    {[](json& r) { r["machine"]["caches"] = 3; }, {"machine.caches is not a list"}},
    {[](json& r) {
         r["machine"]["peaks"] = {{"compute", {{{"unit", "fma"}}}}};
     },
     {"machine.peaks.compute[0].gflops is missing"}},
    {[](json& r) { r["machine"]["gpus"] = {7}; }, {"machine.gpus[0]"}},
    {[](json& r) {
         r["machine"]["gpus"] = {{{"peaks", {{"bandwidth", {{{"level", "L2"}}}}}}}};
     },
     {"machine.gpus[0].peaks.bandwidth[0].gb_per_s is missing"}},
    {[](json& r) {
         r["machine"]["peaks"] = {
             {"compute", {{{"unit", "fma"}, {"gflops", 9}, {"threads", 1}, {"dtype", 5}}}}};
     },
     {"machine.peaks.compute[0].dtype is 5, expected a string"}},
    {[](json& r) {
         r["machine"]["gpus"] = {{{"name", 7}}};
     },
     {"machine.gpus[0].name is 7, expected a string"}},
    {[](json& r) {
         r["build"] = {{"type", 5}};
     },
     {"build.type is 5, expected a string"}},
    {[](json& r) { r["settings"]["equivalence_margin"] = "2 %"; },
     {"settings.equivalence_margin is \"2 %\", expected a number"}},
    {[](json& r) { r["results"][1]["gpu"] = "hot"; }, {"results[1].gpu is not an object"}},
    {[](json& r) {
         r["results"][1]["gpu"] = {
             {"samples", 1}, {"throttle_reasons", json::array()}, {"power_w", "all"}};
     },
     {"results[1].gpu.power_w"}},
    {[](json& r) {
         r["results"][1]["gpu"] = {{"samples", 1}, {"throttle_reasons", {1}}};
     },
     {"results[1].gpu.throttle_reasons"}},
    {[](json& r) { r["results"][1]["kernels"] = {3}; }, {"results[1].kernels[0] is not an object"}},
    {[](json& r) {
         r["results"][1]["kernels"] = {{{"name", "k"}, {"threads", 1}, {"registers", "many"}}};
     },
     {"results[1].kernels[0].registers"}},
    {[](json& r) { r.erase("results"); }, {"results is missing"}},
    {[](json& r) { r["results"][1] = 7; }, {"results[1] is not an object"}},
    {[](json& r) { r["results"][1]["implementation"] = ""; },
     {"results[1].implementation", "a name"}},
    {[](json& r) { r["results"][1]["n"] = 0; }, {"results[1].n", "is 0"}},
    {[](json& r) { r["results"][1]["n"] = 1.5; }, {"results[1].n is 1.5, expected a whole number"}},
    {[](json& r) { r["results"][1]["threads"] = -1; }, {"results[1].threads", "is -1"}},
    {[](json& r) { r["results"][1].erase("available"); }, {"results[1].available"}},
    {[](json& r) { r["results"][1].erase("verified"); }, {"results[1].verified"}},
    {[](json& r) { r["results"][1].erase("median_gflops"); }, {"results[1].median_gflops"}},
    {[](json& r) { r["results"][1]["median_gflops"] = -4.0; },
     {"results[1].median_gflops", "is -4.0"}},
    {[](json& r) { r["results"][1]["trials_s"][1] = nullptr; },
     {"results[1].trials_s", "not positive"}},
    {[](json& r) { r["results"][1]["trials_s"] = "soon"; },
     {"results[1].trials_s is \"soon\", expected a list, each element a number"}},
    {[](json& r) { r["results"][1]["trials_per_process"] = {1000}; },
     {"results[1].trials_per_process", "adds up to 1000"}},
    {[](json& r) { r["results"][1]["trials_per_process"] = 3; },
     {"results[1].trials_per_process is 3, expected a list, each element a whole number"}},
    {[](json& r) { r["results"][1]["ci95_gflops"] = {1.0}; },
     {"results[1].ci95_gflops is [1.0], expected a list of two numbers"}},
    {[](json& r) { r["results"][1]["error_ulp"] = "small"; },
     {"results[1].error_ulp is \"small\", expected a number"}},
    {[](json& r) { r["comparisons"] = "none"; }, {"comparisons is not a list"}},
    {[](json& r) { r["comparisons"][0].erase("pairs"); }, {"comparisons[0].pairs is missing"}},
    {[](json& r) { r["comparisons"][0]["pairs"][0]["verdict"] = "better"; },
     {"comparisons[0].pairs[0].verdict is \"better\"", "faster, slower, tie or unclear"}},
    {[](json& r) { r["comparisons"][0]["pairs"][0]["ratio"] = 0; },
     {"comparisons[0].pairs[0].ratio", "above zero"}},
    {[](json& r) {
         r["comparisons"][0]["pairs"][0]["ci95_ratio"] = {0, 1};
     },
     {"comparisons[0].pairs[0].ci95_ratio"}},
    {[](json& r) {
         r["comparisons"][0]["welch"] = {{"f", "large"}};
     },
     {"comparisons[0].welch.f is \"large\", expected a number"}},
    {[](json& r) {
         r["comparisons"][0]["hypotheses"] = {{"h0", 0}};
     },
     {"comparisons[0].hypotheses.h0 is 0, expected a string"}},
    {[](json& r) {
         r["results"][1]["library"] = {
             {"name", "a"}, {"version", ""}, {"path", ""}, {"kernel", ""}, {"note", 7}};
     },
     {"results[1].library.note is 7, expected a string"}},
    {[](json& r) { r["results"][1]["phases"] = 3; }, {"results[1].phases is not an object"}},
    {[](json& r) {
         r["results"][1]["phases"] = {
             {"host_memory", "pinned"}, {"reason", ""}, {"total_trials_s", {1.0}},
             {"repetitions", 1},        {"stop", ""},   {"total_s", {{"median", "long"}}}};
     },
     {"results[1].phases.total_s.median"}},
    {[](json& r) { r["crossovers"] = 1; }, {"crossovers is not a list"}},
    {[](json& r) { r["crossovers"] = {1}; }, {"crossovers[0] is not an object"}},
    {[](json& r) {
         r["crossovers"] = {crossing({{"gpu", ""}})};
     },
     {"crossovers[0].gpu is not a name"}},
    {[](json& r) {
         r["crossovers"] = {crossing({{"changes", "many"}})};
     },
     {"crossovers[0].changes is \"many\", expected a whole number"}},
    {[](json& r) {
         r["crossovers"] = {crossing({{"outcome", "perhaps"}})};
     },
     {"crossovers[0].outcome is 'perhaps'", "crosses, always or never"}},
    {[](json& r) {
         r["crossovers"] = {crossing({{"points", json::array()}})};
     },
     {"crossovers[0].points is empty"}},
    {[](json& r) {
         r["crossovers"] = {crossing({{"n", nullptr}})};
     },
     {"crossovers[0].n is not a number above zero"}},
    {[](json& r) {
         r["studies"] = {{{"study", 1}}};
     },
     {"studies[0].study is 1, expected a string"}},
    {[](json& r) {
         json study = carat::results::to_json(carat::results::chapter{});
         study["tables"] = {{{"title", ""}, {"head", {"a", "b"}}, {"rows", {{"1"}}}, {"note", ""}}};
         r["studies"] = {study};
     },
     {"studies[0].tables[0].rows has a row that is not as long as its head"}},
};

TEST(check, refuses_every_corruption_with_one_line_that_names_it) {
    std::size_t refused = 0;
    for (const auto& [apply, told] : corruptions) {
        json doc = carat::results::to_json(sample::two());
        ASSERT_EQ(refusal(doc), "");
        apply(doc);
        const std::string message = refusal(doc);
        for (const auto& part : told) {
            EXPECT_NE(message.find(part), std::string::npos) << part << " not in: " << message;
        }
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        ++refused;
    }
    EXPECT_EQ(refused, corruptions.size());
}

TEST(check, accepts_what_was_not_measured) {
    json doc = carat::results::to_json(sample::two());
    for (const char* field : {"ci95_gflops", "percent_of_roofline", "cold_s", "error_ulp"})
        doc["results"][1][field] = nullptr;
    EXPECT_EQ(refusal(doc), "");
    const carat::results::document read = carat::results::from_json(doc, "x.json");
    EXPECT_FALSE(carat::report::html(read).empty());
    EXPECT_NE(carat::report::markdown(read).find("| `cpu.fast` | 100.0 | - | - | 1.00 | a | - | - "
                                                 "| 0.1000 |"),
              std::string::npos)
        << carat::report::markdown(read);
}

// Two implementations with one trial each, as an interrupted run leaves them.
TEST(check, accepts_a_ratio_that_nothing_bounds) {
    json doc = carat::results::to_json(sample::two());
    doc["results"][0]["ci95_gflops"] = {0.0, nullptr};
    doc["comparisons"][0]["pairs"][0]["ci95_ratio"] = {0.0, nullptr};
    EXPECT_EQ(refusal(doc), "");
    doc["comparisons"][0]["pairs"][0]["ci95_ratio"] = {nullptr, 0.0};
    EXPECT_NE(refusal(doc), "");
}

TEST(check, accepts_fields_it_does_not_know) {
    json doc = carat::results::to_json(sample::two());
    doc["weather"] = {{"rain", true}};
    doc["results"][0]["colour"] = "blue";
    EXPECT_EQ(refusal(doc), "");
}

TEST(check, cuts_long_values_short) {
    json doc = carat::results::to_json(sample::two());
    doc["results"][0]["available"] = std::string(5000, 'x');
    EXPECT_LT(refusal(doc).size(), 300U);
}

}  // namespace
