#include "lab/explain/foretold.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <random>

#include "lab/compare/analyse.hpp"
#include "lab/gpu/roofline.hpp"
#include "lab/rows/predicting.hpp"

namespace carat::explain {

namespace {

using nlohmann::json;

constexpr double smallest = 16;
constexpr double largest = 16384;

// Uses the generator's bits directly, as distributions differ between standard libraries.
std::int64_t log_uniform(std::mt19937_64& bits) {
    const double share = static_cast<double>(bits() >> 11) * 0x1p-53;
    return std::llround(smallest * std::pow(largest / smallest, share));
}

request::shape drawn_shape(std::mt19937_64& bits) {
    request::shape size = {log_uniform(bits), log_uniform(bits), log_uniform(bits)};
    if (bits() >> 63 != 0)
        for (std::int64_t* extent : {&size.m, &size.n, &size.k}) *extent = (*extent + 15) / 16 * 16;
    return size;
}

hit_rate rate_of(const std::string& kind, std::vector<double> ratios) {
    hit_rate found;
    found.kind = kind;
    found.of = ratios.size();
    if (ratios.empty()) return found;
    std::ranges::sort(ratios);
    found.within = static_cast<std::size_t>(
        std::ranges::count_if(ratios, [](double r) { return std::abs(r - 1) <= near_enough; }));
    found.least = ratios.front();
    found.median = ratios[ratios.size() / 2];
    found.most = ratios.back();
    return found;
}

}  // namespace

std::optional<core::gpu_prediction> foretell(const rows::runnable& product,
                                             const rows::implementation* entry,
                                             const core::problem& p, const machine::peaks* peaks) {
    const auto* const can_tell = dynamic_cast<const rows::predicting*>(&product);
    if (can_tell == nullptr || entry == nullptr || peaks == nullptr) return std::nullopt;
    const core::signature* const how = rows::find_signature(*entry, p);
    if (how == nullptr) return std::nullopt;
    return can_tell->predicted(gpu::rates_of(*peaks, p.a_type, how->computes_in));
}

std::string verdict_on(const core::gpu_prediction& foretold, const results::result& measured) {
    if (measured.trials_s.empty() || measured.median_s <= 0) return "not measured";
    if (!measured.busy.empty()) return "no verdict: " + measured.busy;
    const comparing::extent_of_median extent = comparing::extent_of(measured);
    const double percent = 100 * (measured.median_s / foretold.time_s - 1);
    if (extent.s[0] > foretold.high_s)
        return fmt::format("{:.0f} % slower than predicted", percent);
    if (extent.s[1] < foretold.low_s)
        return fmt::format("{:.0f} % faster than predicted", -percent);
    return "as predicted";
}

std::string binding(const core::gpu_prediction& foretold) {
    const auto longest =
        std::ranges::max_element(foretold.parts, {}, [](const auto& part) { return part.time_s; });
    if (longest == foretold.parts.end() || foretold.time_s <= 0) return {};
    return fmt::format("{}, {:.0f} % of it", longest->name,
                       100 * std::min(1.0, longest->time_s / foretold.time_s));
}

json to_json(const core::gpu_prediction& foretold, const results::result& measured) {
    json parts = json::array();
    for (const core::gpu_prediction::part& p : foretold.parts)
        parts.push_back({{"name", p.name},
                         {"time_s", p.time_s},
                         {"at_once_with_others", p.at_once_with_others}});
    return {{"kind", foretold.kind},
            {"tiles", foretold.tiles},
            {"tiles_at_once", foretold.at_once},
            {"waves", foretold.waves},
            {"idle_share", foretold.idle_share},
            {"memory_bytes", foretold.memory_bytes},
            {"l2_bytes", foretold.l2_bytes},
            {"stored_bytes", foretold.stored_bytes},
            {"packed_bytes", foretold.packed_bytes},
            {"parts", parts},
            {"time_s", foretold.time_s},
            {"interval_s", {foretold.low_s, foretold.high_s}},
            {"binding", binding(foretold)},
            {"verdict", verdict_on(foretold, measured)}};
}

std::vector<request::case_key> draw(std::uint64_t seed, std::size_t count,
                                    std::span<const dtype> types) {
    std::mt19937_64 bits(seed);
    std::vector<request::case_key> all;
    for (std::size_t i = 0; i < count; ++i) {
        request::case_key key;
        key.size = drawn_shape(bits);
        key.type = types[i % types.size()];
        all.push_back(key);
    }
    return all;
}

double foretold_case::ratio() const {
    return foretold && measured.median_s > 0 && measured.verified
               ? measured.median_s / foretold->time_s
               : 0;
}

std::vector<hit_rate> hit_rates(std::span<const foretold_case> all) {
    std::vector<double> every;
    std::map<std::string, std::vector<double>> by_kind;
    for (const foretold_case& c : all) {
        if (c.ratio() <= 0) continue;
        every.push_back(c.ratio());
        by_kind[c.foretold->kind].push_back(c.ratio());
    }
    std::vector<hit_rate> rates = {rate_of("all", std::move(every))};
    for (auto& [kind, ratios] : by_kind) rates.push_back(rate_of(kind, std::move(ratios)));
    return rates;
}

json to_json(std::span<const foretold_case> all, std::uint64_t seed) {
    json cases = json::array();
    for (const foretold_case& c : all)
        cases.push_back({{"m", c.key.size.m},
                         {"n", c.key.size.n},
                         {"k", c.key.size.k},
                         {"dtype", name(c.key.type)},
                         {"plan", c.why},
                         {"predicted", c.foretold ? to_json(*c.foretold, c.measured) : json()},
                         {"verified", c.measured.verified},
                         {"reason", c.measured.reason},
                         {"median_s", c.measured.median_s},
                         {"trials_s", c.measured.trials_s},
                         {"measured_over_predicted", c.ratio()}});
    json rates = json::array();
    for (const hit_rate& r : hit_rates(all))
        rates.push_back({{"kind", r.kind},
                         {"within_15_percent", r.within},
                         {"of", r.of},
                         {"ratio", {{"least", r.least}, {"median", r.median}, {"most", r.most}}}});
    return {{"what", "products drawn at random, measured, and predicted by the plan's own model"},
            {"seed", seed},
            {"rates", rates},
            {"cases", cases}};
}

}  // namespace carat::explain
