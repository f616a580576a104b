// Small results documents, written by hand so that every expectation can be checked by eye.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sample {

using nlohmann::json;

// A verified result on 100 x 100 x 100 (0.002 GFLOP) with the median throughput given.
inline json result(const std::string& implementation, double gflops, int threads = 2,
                   const std::string& device = "cpu") {
    const double time_s = 2e-3 / gflops;
    return {{"implementation", implementation},
            {"device", device},
            {"dtype", "f64"},
            {"m", 100},
            {"n", 100},
            {"k", 100},
            {"threads", threads},
            {"available", true},
            {"verified", true},
            {"verification", "componentwise"},
            {"error_ulp", 6.6},
            {"error_bound_ulp", 102.0},
            {"trials_s", {time_s, time_s}},
            {"median_s", time_s},
            {"median_gflops", gflops},
            {"ci95_gflops", {gflops * 0.99, gflops * 1.01}},
            {"percent_of_roofline", gflops / 2},
            {"prepare_s", 1e-4},
            {"cold_s", 0.0123},
            {"group", "a"}};
}

// Written without an infinity: nulls for missing ends, zeros for what has no roof.
inline json unmeasured(json result) {
    result["ci95_gflops"] = {nullptr, 5.0};
    result["percent_of_roofline"] = 0;
    result["cold_s"] = 0.0;
    return result;
}

inline json absent(const std::string& implementation, const std::string& reason) {
    return {{"implementation", implementation},
            {"device", "cpu"},
            {"dtype", "f64"},
            {"m", 100},
            {"n", 100},
            {"k", 100},
            {"threads", 2},
            {"available", false},
            {"reason", reason}};
}

inline json pair(const std::string& a, const std::string& b, const std::string& verdict,
                 double ratio) {
    return {{"a", a},
            {"b", b},
            {"verdict", verdict},
            {"ratio", ratio},
            {"ci95_ratio", {ratio * 0.98, ratio * 1.02}},
            {"p", 1e-9}};
}

inline json comparison(std::vector<json> pairs, int threads = 2) {
    return {{"dtype", "f64"}, {"m", 100},           {"n", 100},
            {"k", 100},       {"threads", threads}, {"pairs", std::move(pairs)}};
}

inline json file(std::vector<json> results, std::vector<json> comparisons = {}) {
    return {{"schema", 2},
            {"machine", {{"cpu_model", "A processor"}}},
            {"settings", {{"equivalence_margin", 0.02}}},
            {"results", std::move(results)},
            {"comparisons", std::move(comparisons)}};
}

// fast (100 GFLOP/s) beats slow (50) by a factor of two.
inline json two() {
    return file({result("cpu.slow", 50), result("cpu.fast", 100)},
                {comparison({pair("cpu.slow", "cpu.fast", "slower", 0.5)})});
}

}  // namespace sample
