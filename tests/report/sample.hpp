// Small results documents, written by hand so that every expectation can be checked by eye.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/results/document.hpp"

namespace sample {

using carat::results::document;
using nlohmann::json;

// A verified result on 100 x 100 x 100 (0.002 GFLOP) with the median throughput given.
inline carat::results::result result(const std::string& implementation, double gflops,
                                     int threads = 2, const std::string& device = "cpu") {
    carat::results::result of;
    of.implementation = implementation;
    of.device = device;
    of.dtype = "f64";
    of.m = of.n = of.k = 100;
    of.threads = of.threads_used = threads;
    of.available = of.verified = true;
    of.verification = "componentwise";
    of.error_ulp = 6.6;
    of.error_bound_ulp = 102;
    of.median_s = of.mean_s = 2e-3 / gflops;
    of.trials_s = {of.median_s, of.median_s};
    of.median_gflops = gflops;
    of.ci95_gflops = {gflops * 0.99, gflops * 1.01};
    of.percent_of_roofline = gflops / 2;
    of.prepare_s = 1e-4;
    of.cold_s = 0.0123;
    of.group = "a";
    return of;
}

inline carat::results::result absent(const std::string& implementation, const std::string& reason) {
    carat::results::result of;
    of.implementation = implementation;
    of.device = "cpu";
    of.dtype = "f64";
    of.m = of.n = of.k = 100;
    of.threads = 2;
    of.reason = reason;
    return of;
}

inline carat::results::pair pair(const std::string& a, const std::string& b,
                                 const std::string& verdict, double ratio) {
    carat::results::pair of;
    of.a = a;
    of.b = b;
    of.verdict = verdict;
    of.ratio = ratio;
    of.ci95_ratio = {ratio * 0.98, ratio * 1.02};
    of.p = 1e-9;
    return of;
}

inline carat::results::comparison comparison(std::vector<carat::results::pair> pairs,
                                             int threads = 2) {
    carat::results::comparison of;
    of.dtype = "f64";
    of.m = of.n = of.k = 100;
    of.threads = threads;
    of.pairs = std::move(pairs);
    return of;
}

inline document file(std::vector<carat::results::result> results,
                     std::vector<carat::results::comparison> comparisons = {}) {
    document of;
    of.complete = true;
    of.machine = {{"cpu_model", "A processor"}};
    of.settings = {{"equivalence_margin", 0.02}};
    of.results = std::move(results);
    of.comparisons = std::move(comparisons);
    return of;
}

// fast (100 GFLOP/s) beats slow (50) by a factor of two.
inline document two() {
    return file({result("cpu.slow", 50), result("cpu.fast", 100)},
                {comparison({pair("cpu.slow", "cpu.fast", "slower", 0.5)})});
}

}  // namespace sample
