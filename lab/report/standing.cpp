#include "lab/report/standing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "lab/report/words.hpp"
#include "lab/statistics/bootstrap.hpp"

namespace carat::report {

namespace {

constexpr std::size_t fewest_cases = 10;

struct observed {
    double ratio;
    const measured_case* where;
};
// The keys are the population, then the implementation.
using observations = std::map<std::string, std::map<std::string, std::vector<observed>>>;

std::string population_of(const measured_case& here) {
    std::string text = here.dtype;
    if (!here.call.empty()) text += ", " + here.call;
    return here.on_gpu || here.threads == 0 ? text : text + ", " + threads(here.threads);
}

observations observe(const std::vector<measured_case>& cases) {
    observations all;
    for (const measured_case& here : cases) {
        if (here.ranked.size() < 2) continue;
        auto& of = all[population_of(here)];
        for (const results::result* r : here.ranked) {
            const results::result* const best = here.ranked[r == here.ranked.front() ? 1 : 0];
            of[r->implementation].push_back({r->median_gflops / best->median_gflops, &here});
        }
    }
    return all;
}

results::range interval_of_mean(const std::vector<double>& logs) {
    statistics::bootstrap_options options;
    options.detect_correlation = false;  // products are drawn independently
    const auto means = statistics::bootstrap(logs, options).mean;
    return {std::exp(means.bca.lower), std::exp(means.bca.upper)};
}

standing standing_of(const std::string& population, const std::string& implementation,
                     std::vector<observed> all) {
    std::ranges::sort(all, {}, &observed::ratio);
    std::vector<double> logs;
    double sum = 0;
    for (const observed& o : all) {
        logs.push_back(std::log(o.ratio));
        sum += logs.back();
    }
    const auto count = static_cast<double>(all.size());
    const auto leading = std::ranges::count_if(all, [](const observed& o) { return o.ratio >= 1; });
    return {.population = population,
            .implementation = implementation,
            .cases = all.size(),
            .geomean = std::exp(sum / count),
            .ci95 = interval_of_mean(logs),
            .p5 = all[all.size() / 20].ratio,
            .leading_share = static_cast<double>(leading) / count,
            .worst = all.front().ratio,
            .worst_case = all.front().where->size()};
}

}  // namespace

std::vector<standing> standings(const std::vector<measured_case>& cases) {
    std::vector<standing> all;
    for (auto& [population, rows] : observe(cases)) {
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        for (auto& [implementation, ratios] : rows)
            if (ratios.size() >= fewest_cases)
                all.push_back(standing_of(population, implementation, std::move(ratios)));
        std::ranges::stable_sort(all.begin() + first, all.end(), std::greater(),
                                 &standing::geomean);
    }
    return all;
}

table standing_table(const std::vector<measured_case>& cases) {
    table t{"Over all products",
            {{"type", align::left},
             {"implementation", align::left},
             {"cases"},
             {"geometric mean"},
             {"95 % CI"},
             {"5th percentile"},
             {"leads in"},
             {"worst"},
             {"worst at", align::left}},
            {},
            "Speed relative to the fastest other implementation of each product; the interval is "
            "that of the mean over such products."};
    for (const standing& s : standings(cases))
        t.rows.push_back({s.population, "`" + unquoted(s.implementation) + "`",
                          std::to_string(s.cases), fmt::format("{:.3f}", s.geomean),
                          fmt::format("{:.3f} to {:.3f}", s.ci95[0], s.ci95[1]),
                          fmt::format("{:.2f}", s.p5),
                          fmt::format("{:.0f} %", 100 * s.leading_share),
                          fmt::format("{:.2f}", s.worst), s.worst_case});
    return t;
}

}  // namespace carat::report
