// The arithmetic from counts to limits.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "lab/explain/steps.hpp"

namespace carat::explain {

namespace {

constexpr double worth_naming = 1.03;  // a factor below this is no limit, but its unit's rate is

double extent(std::int64_t size) {
    return static_cast<double>(std::max<std::int64_t>(size, 1));
}

// What a step of K takes of its SM, in cycles, and how it is told.
struct demand {
    std::string what, counted;
    double cycles;
};

std::vector<demand> demands_of(const gpu_step& s, double unit_cycles) {
    const std::string_view about = s.estimated ? "about " : "";
    return {
        {s.unit_share < 1 ? "what mma.sync reaches" : "the rate of its unit",
         fmt::format("{:.3g} operations", 2 * s.tile_m * s.tile_n * s.tile_k), unit_cycles},
        {"instruction issue",
         fmt::format("{}{:.0f} instructions, 4 a cycle", about, s.instructions),
         s.instructions / 4},
        {"shared memory and L1",
         fmt::format("{}{:.0f} x 128 bytes, 1 a cycle", about, s.wavefronts), s.wavefronts},
        {"bytes from L2", fmt::format("{:.0f} bytes, 64 a cycle", s.bytes), s.bytes / 64},
    };
}

}  // namespace

step_limits limits_of(const gpu_step& s, const model::sizes& size, const sm_rates& here) {
    const double flop = 2 * s.tile_m * s.tile_n * s.tile_k;
    const double cycles_a_s = here.clock_ghz * 1e9;
    const auto gflops_at = [&](double cycles) {
        return flop / cycles * here.sms * cycles_a_s / 1e9;
    };
    const double unit_cycles = flop / (here.unit_gflops * s.unit_share / here.sms / here.clock_ghz);
    step_limits told{.implementation = std::string(s.implementation),
                     .of = fmt::format("a CTA, for {:.0f} x {:.0f} x {:.0f} of {}", s.tile_m,
                                       s.tile_n, s.tile_k, s.counted_for),
                     .on = here.name,
                     .next = std::string(s.next)};
    double interval = 0;
    for (const demand& d : demands_of(s, unit_cycles)) {
        told.ceilings.push_back({d.what, d.counted, gflops_at(d.cycles)});
        if (d.cycles > interval) {
            interval = d.cycles;
            told.binding = d.what;
        }
    }

    // What costs time beside the work itself: each is a factor on what comes before it.
    double lost = std::max(worth_naming, interval / unit_cycles / s.unit_share);
    const auto add = [&](std::string what, std::string counted, double factor) {
        told.ceilings.push_back({std::move(what), std::move(counted), told.gflops / factor});
        told.gflops /= factor;
        if (factor <= lost) return;
        lost = factor;
        told.binding = told.ceilings.back().what;
    };
    told.gflops = gflops_at(interval);
    const double waits = std::max(0.0, s.waits - (s.ctas - 1) * interval);
    if (s.waits > 0)
        add("waiting for copies",
            fmt::format("about {:.0f} cycles a step, CTAs: {}", s.waits, s.ctas),
            (interval + waits) / interval);
    const double steps = std::ceil(extent(size.k) / s.tile_k);
    if (s.ends > 0)
        add("begin and end of a tile",
            fmt::format("about {:.0f} cycles beside {:.0f} steps", s.ends, steps),
            1 + s.ends / (steps * (interval + waits)));
    if (s.in_rounds) {
        const double tiles =
            std::ceil(extent(size.m) / s.tile_m) * std::ceil(extent(size.n) / s.tile_n);
        const double rounds = tiles / (here.sms * s.ctas);
        add("a last round, partly empty", fmt::format("{:.0f} tiles, {:.2f} rounds", tiles, rounds),
            std::ceil(rounds) / rounds);
    }
    return told;
}

step_limits limits_of(const cpu_step& s, const model::sizes& size, model::element_bytes each,
                      double peak_gflops, int widest_bits,
                      const std::vector<model::level>& levels) {
    constexpr double edge = 144;  // of the ladder's tiles
    const int bits = s.vector_bits > 0    ? std::min(s.vector_bits, widest_bits)
                     : s.vector_bits == 0 ? widest_bits
                                          : static_cast<int>(8 * each.ab);
    step_limits told{.implementation = std::string(s.implementation),
                     .of = "a multiply-add of one vector",
                     .on = "this processor, as measured",
                     .next = std::string(s.next)};
    const double units = peak_gflops * bits / widest_bits * 0.5 / s.cycles;
    told.ceilings.push_back(
        {std::string(s.port), fmt::format("{:.1f} cycles for {} bits", s.cycles, bits), units});
    told.gflops = units;
    told.binding = told.ceilings[0].what;
    if (!s.loops) return told;
    const model::schedule loops{*s.loops,
                                model::is_tiled(*s.loops) ? static_cast<std::int64_t>(edge) : 0};
    const double flop = 2 * extent(size.m) * extent(size.n) * extent(size.k);
    for (const model::flow& f : model::predict(loops, size, each, levels, peak_gflops).flows) {
        if (f.from == "L1" || f.time_s <= 0) continue;  // the ports above are L1's
        const double gflops = flop / f.time_s / 1e9;
        told.ceilings.push_back(
            {"bytes from " + f.from, fmt::format("{:.3g} MB", f.bytes / 1e6), gflops});
        if (gflops >= told.gflops) continue;
        told.gflops = gflops;
        told.binding = told.ceilings.back().what;
    }
    return told;
}

nlohmann::json to_json(const step_limits& limits) {
    nlohmann::json ceilings = nlohmann::json::array();
    for (const ceiling& c : limits.ceilings)
        ceilings.push_back({{"what", c.what}, {"counted", c.counted}, {"gflops", c.gflops}});
    return {{"implementation", limits.implementation},
            {"of", limits.of},
            {"on", limits.on},
            {"ceilings", ceilings},
            {"gflops", limits.gflops},
            {"binding", limits.binding},
            {"next", limits.next}};
}

}  // namespace carat::explain
