#include "lab/crossover/results.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace carat::crossover {

namespace {

using nlohmann::json;

json number(double value) {
    return std::isfinite(value) ? json(value) : json();
}

json ends(const statistics::interval& i) {
    return json::array({number(i.lower), number(i.upper)});
}

json to_json(const point& p) {
    return {{"n", p.n},
            {"cpu", p.cpu.implementation},
            {"cpu_s", p.cpu.median_s},
            {"ci95_cpu_s", ends(p.cpu.ci95_s)},
            {"gpu_s", p.gpu.median_s},
            {"ci95_gpu_s", ends(p.gpu.ci95_s)}};
}

}  // namespace

std::vector<size_trials> trials_of(const results::document& doc, const std::string& dtype,
                                   int threads) {
    std::map<std::int64_t, size_trials> by_size;
    for (const results::result& c : doc.results) {
        const bool square = c.m == c.n && c.n == c.k;
        if (!square || c.dtype != dtype || c.threads != threads) continue;
        if (!c.verified || c.above_peak) continue;
        size_trials& here = by_size[c.n];
        here.n = c.n;
        if (c.on_cpu() && !c.trials_s.empty()) here.cpu.push_back({c.implementation, c.trials_s});
        if (c.end_to_end && c.end_to_end->measured())
            here.gpu.push_back({c.implementation, c.end_to_end->total_trials_s});
    }
    std::vector<size_trials> all;
    all.reserve(by_size.size());
    for (auto& [n, trials] : by_size) all.push_back(std::move(trials));
    return all;
}

json to_json(std::span<const crossing> crossings, const std::string& dtype, int threads,
             const std::string& host_memory) {
    json out = json::array();
    for (const crossing& c : crossings) {
        json& one = out.emplace_back();
        one = {{"gpu", c.gpu},
               {"dtype", dtype},
               {"threads", threads},
               {"host_memory", host_memory},
               {"outcome", name(c.what)},
               {"n", number(c.n)},
               {"ci95", ends(c.ci95)},
               {"changes", c.changes},
               {"few_trials", c.few_trials}};
        if (c.what == outcome::crosses) one["between"] = {c.below, c.above};
        one["points"] = json::array();
        for (const point& p : c.points) one["points"].push_back(to_json(p));
    }
    return out;
}

}  // namespace carat::crossover
