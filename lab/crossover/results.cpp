#include "lab/crossover/results.hpp"

#include <cmath>
#include <map>

namespace carat::crossover {

namespace {

results::range ends(const statistics::interval& i) {
    return {i.lower, i.upper};
}

results::crossover_point told(const point& p) {
    return {.n = p.n,
            .cpu = p.cpu.implementation,
            .cpu_s = p.cpu.median_s,
            .gpu_s = p.gpu.median_s,
            .ci95_cpu_s = ends(p.cpu.ci95_s),
            .ci95_gpu_s = ends(p.gpu.ci95_s)};
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

std::vector<results::crossover> told(std::span<const crossing> crossings, const std::string& dtype,
                                     int threads, const std::string& host_memory) {
    std::vector<results::crossover> out;
    for (const crossing& c : crossings) {
        results::crossover& one = out.emplace_back();
        one = {.gpu = c.gpu,
               .dtype = dtype,
               .host_memory = host_memory,
               .threads = threads,
               .outcome = std::string(name(c.what)),
               .ci95 = ends(c.ci95),
               .changes = c.changes,
               .few_trials = c.few_trials};
        if (std::isfinite(c.n)) one.n = c.n;
        if (c.what == outcome::crosses) one.between = {c.below, c.above};
        for (const point& p : c.points) one.points.push_back(told(p));
    }
    return out;
}

}  // namespace carat::crossover
