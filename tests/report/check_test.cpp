// A corrupt or foreign file must be refused with one line that names the field.
#include "lab/report/check.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include <carat/error.hpp>

#include "lab/report/report.hpp"
#include "sample.hpp"

namespace {

using sample::json;

std::string refusal(const json& doc) {
    try {
        carat::report::check(doc);
    } catch (const carat::error& problem) {
        EXPECT_EQ(problem.code(), carat::error_code::invalid_argument);
        return problem.what();
    }
    return "accepted";
}

struct corruption {
    std::function<void(json&)> apply;
    std::vector<std::string> told;  // all of these must be in the message
};

const std::vector<corruption> corruptions{
    {[](json& r) { r = json::array(); }, {"not a JSON object"}},
    {[](json& r) { r.erase("schema"); }, {"`schema`", "missing"}},
    {[](json& r) { r["schema"] = 1; }, {"`schema`", "is 1", "reads 2"}},
    {[](json& r) { r["schema"] = "1"; }, {"`schema`", "\"1\""}},
    {[](json& r) { r.erase("machine"); }, {"`machine`", "missing"}},
    {[](json& r) { r["results"][0]["background_cpu_share"] = 1.5; },
     {"`background_cpu_share` of results[0] (cpu.slow)", "is 1.5", "0 to 1"}},
    {[](json& r) { r["machine"]["cpu_model"] = nullptr; }, {"`cpu_model` of machine", "null"}},
    {[](json& r) { r["machine"]["caches"] = 3; }, {"`caches` of machine", "a list"}},
    {[](json& r) {
         r["machine"]["peaks"] = {{"compute", {{{"unit", "fma"}}}}};
     },
     {"machine.peaks.compute[0]", "`gflops`", "missing"}},
    {[](json& r) { r["machine"]["gpus"] = {7}; }, {"machine.gpus[0]"}},
    {[](json& r) {
         r["machine"]["gpus"] = {{{"peaks", {{"bandwidth", {{{"level", "L2"}}}}}}}};
     },
     {"machine.gpus[0].peaks.bandwidth[0]", "`gb_per_s`"}},
    {[](json& r) {
         r["machine"]["peaks"] = {
             {"compute", {{{"unit", "fma"}, {"gflops", 9}, {"threads", 1}, {"dtype", 5}}}}};
     },
     {"`dtype` of machine.peaks.compute[0]", "is 5", "a text"}},
    {[](json& r) {
         r["machine"]["gpus"] = {{{"name", 7}}};
     },
     {"`name` of machine.gpus[0]", "is 7", "a text"}},
    {[](json& r) {
         r["build"] = {{"type", 5}};
     },
     {"`type` of build", "is 5", "a text"}},
    {[](json& r) { r["settings"]["equivalence_margin"] = "2 %"; },
     {"`equivalence_margin` of settings", "2 %", "a number"}},
    {[](json& r) { r["results"][1]["gpu"] = "hot"; }, {"`gpu` of results[1]", "an object"}},
    {[](json& r) {
         r["results"][1]["gpu"] = {{"power_w", "all"}};
     },
     {"`power_w` of results[1]"}},
    {[](json& r) {
         r["results"][1]["gpu"] = {{"throttle_reasons", {1}}};
     },
     {"`throttle_reasons` of results[1]"}},
    {[](json& r) { r["results"][1]["kernels"] = {3}; }, {"kernels[0] of results[1]"}},
    {[](json& r) {
         r["results"][1]["kernels"] = {{{"registers", "many"}}};
     },
     {"`registers` of kernels[0]"}},
    {[](json& r) { r.erase("results"); }, {"`results`", "missing"}},
    {[](json& r) { r["results"][1] = 7; }, {"results[1]", "is 7"}},
    {[](json& r) { r["results"][1]["implementation"] = ""; }, {"results[1]", "a name"}},
    {[](json& r) { r["results"][1]["n"] = 0; }, {"`n` of results[1] (cpu.fast)", "is 0"}},
    {[](json& r) { r["results"][1]["n"] = 1.5; }, {"`n` of results[1]", "whole number"}},
    {[](json& r) { r["results"][1]["threads"] = -1; }, {"`threads` of results[1]", "is -1"}},
    {[](json& r) { r["results"][1].erase("available"); }, {"`available` of results[1]"}},
    {[](json& r) { r["results"][1].erase("verified"); }, {"`verified` of results[1]"}},
    {[](json& r) { r["results"][1].erase("median_gflops"); }, {"`median_gflops` of results[1]"}},
    {[](json& r) { r["results"][1]["median_gflops"] = -4.0; }, {"`median_gflops`", "is -4.0"}},
    {[](json& r) { r["results"][1]["trials_s"][1] = nullptr; }, {"`trials_s[1]` of results[1]"}},
    {[](json& r) { r["results"][1]["trials_s"] = "soon"; }, {"`trials_s` of results[1]", "a list"}},
    {[](json& r) { r["results"][1]["trials_per_process"] = {1000}; },
     {"`trials_per_process` of results[1]", "does not count the"}},
    {[](json& r) { r["results"][1]["trials_per_process"] = 3; },
     {"`trials_per_process` of results[1]", "a list"}},
    {[](json& r) { r["results"][1]["ci95_gflops"] = {1.0}; }, {"`ci95_gflops`", "[low, high]"}},
    {[](json& r) { r["results"][1]["error_ulp"] = "small"; }, {"`error_ulp`", "a number"}},
    {[](json& r) { r["comparisons"] = "none"; }, {"`comparisons`"}},
    {[](json& r) { r["comparisons"][0].erase("pairs"); }, {"`pairs` of comparisons[0]"}},
    {[](json& r) { r["comparisons"][0]["pairs"][0]["verdict"] = "better"; },
     {"`verdict` of pairs[0] of comparisons[0]", "faster, slower, tie or unclear"}},
    {[](json& r) { r["comparisons"][0]["pairs"][0]["ratio"] = 0; }, {"`ratio`", "above zero"}},
    {[](json& r) {
         r["comparisons"][0]["pairs"][0]["ci95_ratio"] = {0, 1};
     },
     {"`ci95_ratio`"}},
    {[](json& r) {
         r["comparisons"][0]["welch"] = {{"f", "large"}};
     },
     {"`f` of welch of comparisons[0]", "a number"}},
    {[](json& r) {
         r["comparisons"][0]["hypotheses"] = {{"h0", 0}};
     },
     {"`h0` of hypotheses of comparisons[0]", "a text"}},
    {[](json& r) {
         r["results"][1]["library"] = {{"name", "a"}, {"note", 7}};
     },
     {"`note` of library of results[1]", "is 7", "a text"}},
    {[](json& r) { r["results"][1]["phases"] = 3; }, {"`phases` of results[1]", "an object"}},
    {[](json& r) {
         r["results"][1]["phases"] = {{"total_s", {{"median", "long"}}}};
     },
     {"`median` of total_s of phases of results[1]", "a number"}},
    {[](json& r) { r["crossovers"] = 1; }, {"`crossovers`", "a list"}},
    {[](json& r) { r["crossovers"] = {1}; }, {"crossovers[0]", "not an object"}},
    {[](json& r) {
         r["crossovers"] = {{{"gpu", ""}}};
     },
     {"`gpu` of crossovers[0]", "a name"}},
    {[](json& r) {
         r["crossovers"] = {{{"gpu", "g"},
                             {"dtype", "f32"},
                             {"threads", 1},
                             {"host_memory", "pinned"},
                             {"ci95", {1, 2}},
                             {"changes", "many"}}};
     },
     {"`changes` of crossovers[0]", "whole number"}},
    {[](json& r) {
         r["crossovers"] = {{{"gpu", "g"},
                             {"dtype", "f32"},
                             {"threads", 1},
                             {"host_memory", "pinned"},
                             {"ci95", {1, 2}},
                             {"outcome", "perhaps"}}};
     },
     {"`outcome` of crossovers[0]", "crosses, always or never"}},
    {[](json& r) {
         r["crossovers"] = {{{"gpu", "g"},
                             {"dtype", "f32"},
                             {"threads", 1},
                             {"host_memory", "pinned"},
                             {"ci95", {1, 2}},
                             {"outcome", "never"},
                             {"points", json::array()}}};
     },
     {"`points` of crossovers[0]", "is empty"}},
};

TEST(check, refuses_every_corruption_with_one_line_that_names_it) {
    std::size_t refused = 0;
    for (const auto& [apply, told] : corruptions) {
        json doc = sample::two();
        ASSERT_EQ(refusal(doc), "accepted");
        apply(doc);
        const std::string message = refusal(doc);
        for (const auto& part : told) {
            EXPECT_NE(message.find(part), std::string::npos) << part << " not in: " << message;
        }
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        EXPECT_NE(message.find("carat bench --json"), std::string::npos) << message;
        EXPECT_THROW(static_cast<void>(carat::report::html(doc)), carat::error);
        EXPECT_THROW(static_cast<void>(carat::report::markdown(doc)), carat::error);
        ++refused;
    }
    EXPECT_EQ(refused, 52U);
}

TEST(check, accepts_absent_and_null_optional_fields) {
    json doc = sample::two();
    for (const char* field : {"ci95_gflops", "percent_of_roofline", "cold_s", "error_ulp"}) {
        doc["results"][0].erase(field);
        doc["results"][1][field] = nullptr;
    }
    doc["comparisons"] = nullptr;
    EXPECT_EQ(refusal(doc), "accepted");
    EXPECT_FALSE(carat::report::html(doc).empty());
    EXPECT_FALSE(carat::report::markdown(doc).empty());
}

TEST(check, irons_out_what_was_not_measured) {
    json doc = sample::two();
    doc["results"][0] = sample::unmeasured(doc["results"][0]);
    doc["results"][1]["verification"] = "none";
    doc["comparisons"][0]["pairs"][0]["ci95_ratio"] = {0.4, nullptr};
    const json plain = carat::report::checked(doc);
    for (const char* field : {"ci95_gflops", "percent_of_roofline", "cold_s"}) {
        EXPECT_TRUE(plain["results"][0][field].is_null()) << field;
        EXPECT_FALSE(plain["results"][1][field].is_null()) << field;
    }
    EXPECT_TRUE(plain["results"][1]["error_ulp"].is_null());
    EXPECT_TRUE(plain["comparisons"][0]["pairs"][0]["ci95_ratio"].is_null());

    doc.erase("comparisons");
    EXPECT_EQ(carat::report::checked(doc)["comparisons"], json::array());
}

// Two implementations with one trial each, as an interrupted run leaves them.
TEST(check, accepts_a_ratio_that_nothing_bounds) {
    json doc = sample::two();
    doc["results"][0]["ci95_gflops"] = {0.0, nullptr};
    doc["comparisons"][0]["pairs"][0]["ci95_ratio"] = {0.0, nullptr};
    EXPECT_EQ(refusal(doc), "accepted");
    EXPECT_TRUE(carat::report::checked(doc)["comparisons"][0]["pairs"][0]["ci95_ratio"].is_null());
    doc["comparisons"][0]["pairs"][0]["ci95_ratio"] = {nullptr, 0.0};
    EXPECT_NE(refusal(doc), "accepted");
}

TEST(check, accepts_fields_it_does_not_know) {
    json doc = sample::two();
    doc["weather"] = {{"rain", true}};
    doc["results"][0]["colour"] = "blue";
    EXPECT_EQ(refusal(doc), "accepted");
}

TEST(check, cuts_long_values_short) {
    json doc = sample::two();
    doc["results"][0]["available"] = std::string(5000, 'x');
    EXPECT_LT(refusal(doc).size(), 300U);
}

}  // namespace
