#include "lab/model/prediction.hpp"

#include <algorithm>
#include <cmath>

namespace carat::model {

namespace {

double area(std::int64_t rows, std::int64_t cols) {
    return static_cast<double>(rows) * static_cast<double>(cols);
}

// The slowest of computing and every flow.
prediction bounded(std::vector<flow> flows, const std::vector<level>& levels, double flop,
                   double peak_gflops) {
    prediction p;
    if (peak_gflops > 0) {
        p.compute_s = flop / (peak_gflops * 1e9);
        p.time_s = p.compute_s;
        p.bound = "compute";
    }
    for (flow& f : flows) {
        const auto link = std::ranges::find(levels, f.from, &level::name);
        if (link->gb_per_s > 0) f.time_s = f.bytes / (link->gb_per_s * 1e9);
        if (f.time_s <= p.time_s) continue;
        p.time_s = f.time_s;
        p.bound = f.from;
    }
    if (p.time_s > 0) p.gflops = flop / p.time_s / 1e9;
    p.flows = std::move(flows);
    return p;
}

}  // namespace

const level& level_holding(const std::vector<level>& levels, double bytes) {
    const auto holds = [&](const level& l) { return bytes <= l.capacity_bytes; };
    const auto found = std::find_if(levels.begin(), levels.end() - 1, holds);
    return *found;
}

prediction predict(const schedule& s, const sizes& all, element_bytes each,
                   const std::vector<level>& levels, double peak_gflops) {
    const access_counts core = accesses(s, all);
    std::vector<flow> flows;
    flows.push_back({levels.front().name,
                     (core.a + core.b) * each.ab + (core.c_loads + core.c_stores) * each.c,
                     0,
                     {}});
    for (std::size_t i = 1; i < levels.size(); ++i) {
        const level& before = levels[i - 1];
        const double line = before.line_bytes;
        const plateau step = misses_at(s, all, {line / each.ab, line / each.c},
                                       std::floor(before.capacity_bytes / line));
        const double lines = step.misses.a + step.misses.b + 2 * step.misses.c;
        flows.push_back({levels[i].name, lines * line, 0, step.holds});
    }
    return bounded(std::move(flows), levels, operations(all), peak_gflops);
}

prediction predict(const packed& p, const sizes& all, element_bytes each,
                   const std::vector<level>& levels, double peak_gflops) {
    const double m = static_cast<double>(all.m);
    const double n = static_cast<double>(all.n);
    const double products = operations(all) / 2;
    const double passes = std::ceil(static_cast<double>(all.k) / p.kc);
    // Of one thread's rectangle: how often its A is packed, and its blocks of A meet a panel of B.
    const double panels = std::ceil(n / p.threads_n / p.nc);
    const double blocks = std::ceil(m / p.threads_m / p.mc);
    const double a_bytes = area(all.m, all.k) * each.ab * p.threads_n * panels;
    const double b_bytes = area(all.k, all.n) * each.ab * p.threads_m;
    const double c_bytes = 2 * m * n * each.c * passes;
    const double strips_of_a = products / p.nr * each.ab;
    const double strips_of_b = products / p.mr * each.ab;
    struct part {
        double bytes;
        std::string_view kept;
    };
    const part parts[] = {{strips_of_a + strips_of_b + c_bytes, ""},
                          {strips_of_a + b_bytes * blocks + c_bytes, "a strip of B"},
                          {2 * a_bytes + b_bytes * blocks + c_bytes, "a block of A"},
                          {a_bytes + b_bytes + c_bytes, "a panel of B"}};
    std::vector<flow> flows;
    for (std::size_t i = 0; i < std::min<std::size_t>(levels.size(), 4); ++i)
        flows.push_back({levels[i].name, parts[i].bytes, 0, parts[i].kept});
    return bounded(std::move(flows), levels, operations(all), peak_gflops);
}

}  // namespace carat::model
