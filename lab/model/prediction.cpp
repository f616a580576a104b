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
    const double passes = std::ceil(static_cast<double>(all.k) / p.kc);
    // Of one thread's rectangle: how often its A is packed, and its blocks of A meet a panel of B.
    const double panels = std::ceil(n / p.threads_n / p.nc);
    const double blocks = std::ceil(m / p.threads_m / p.mc);
    const double a_bytes = area(all.m, all.k) * each.ab * p.threads_n * panels;
    const double b_bytes = area(all.k, all.n) * each.ab * p.threads_m;
    const double c_bytes = m * n * each.c * (2 * passes - 1);
    const double c_far = p.keeps_c ? m * n * each.c : c_bytes;
    // For each column of register tiles, and each row of them: the last may be all but empty.
    const double columns = p.threads_n * std::ceil(n / p.threads_n / p.nr);
    const double rows = p.threads_m * std::ceil(m / p.threads_m / p.mr);
    const double strips_of_a = area(all.m, all.k) * columns * each.ab;
    const double strips_of_b = area(all.k, all.n) * rows * each.ab;
    const double packed_a = p.packs ? a_bytes : 0;  // written to L2
    struct part {
        double bytes;
        std::string_view kept;
    };
    const part parts[] = {{strips_of_a + strips_of_b + c_bytes, ""},
                          {strips_of_a + packed_a + b_bytes * blocks + c_bytes, "a strip of B"},
                          {a_bytes + b_bytes * blocks + c_far, "a block of A"},
                          {a_bytes + b_bytes + c_far, "a panel of B"}};
    std::vector<flow> flows;
    for (std::size_t i = 0; i < std::min<std::size_t>(levels.size(), 4); ++i)
        flows.push_back({levels[i].name, parts[i].bytes, 0, parts[i].kept});
    return bounded(std::move(flows), levels, operations(all), peak_gflops);
}

prediction predict_gpu(std::int64_t tile, const sizes& all, element_bytes each,
                       const std::vector<level>& levels, double peak_gflops) {
    const sizes t = tile_of({order::tiled_ijk, tile}, all);
    const auto tiles = [](std::int64_t extent, std::int64_t edge) {
        return std::ceil(static_cast<double>(extent) / static_cast<double>(edge));
    };
    const double c_bytes = area(all.m, all.n) * each.c;
    const double by_tiles =
        (area(all.m, all.k) * tiles(all.n, t.n) + area(all.k, all.n) * tiles(all.m, t.m)) *
            each.ab +
        c_bytes;
    const double once = (area(all.m, all.k) + area(all.k, all.n)) * each.ab + c_bytes;
    const bool in_l2 = once <= levels.front().capacity_bytes;
    return bounded({{levels.front().name, by_tiles, 0, "two tiles"},
                    {levels.back().name, in_l2 ? 0 : once, 0,
                     in_l2 ? "all of A, B and C" : "what is wanted again"}},
                   levels, operations(all), peak_gflops);
}

}  // namespace carat::model
