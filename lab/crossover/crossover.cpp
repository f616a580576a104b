#include "lab/crossover/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lab/statistics/summary.hpp"

namespace carat::crossover {

namespace {

using results::crossover_point;
using results::range;

constexpr double infinite = std::numeric_limits<double>::infinity();

// A sample with its resampled medians.
struct resampled {
    std::string implementation;
    statistics::median_resamples medians;
};

// One size of a crossing and its samples.
struct column {
    std::int64_t n;
    const std::vector<resampled>* cpu;
    const resampled* gpu;
};

bool has_one_trial(const column& c) {
    const auto one = [](const resampled& r) { return r.medians.n == 1; };
    return one(*c.gpu) || std::ranges::any_of(*c.cpu, one);
}

range percentiles(std::vector<double> values, double confidence) {
    std::ranges::sort(values);
    // Ranks, not interpolation: values may be infinite.
    const auto count = static_cast<double>(values.size());
    const auto at = [&](double share) {
        const double rank = std::clamp(std::ceil(share * count), 1.0, count);
        return values[static_cast<std::size_t>(rank) - 1];
    };
    const double miss = (1 - confidence) / 2;
    return {at(miss), at(1 - miss)};
}

const resampled& best_of(const std::vector<resampled>& all) {
    return *std::ranges::min_element(all, {},
                                     [](const resampled& r) { return r.medians.estimate; });
}

double best_resample(const std::vector<resampled>& all, std::size_t index) {
    double best = infinite;
    for (const resampled& r : all) best = std::min(best, r.medians.resampled[index]);
    return best;
}

range interval_of(const resampled& r, double confidence) {
    return r.medians.n == 1 ? range{0, infinite} : percentiles(r.medians.resampled, confidence);
}

struct change {
    double n;               // where; -infinite: always faster, infinite: never
    std::size_t wins_from;  // index of the first size after it
};

// Finds where a curve of log(gpu / cpu) over sizes is last at zero or above; it is straight between
// sizes on a log axis.
change last_change(std::span<const std::int64_t> sizes, std::span<const double> log_ratio) {
    std::size_t wins_from = log_ratio.size();
    while (wins_from > 0 && log_ratio[wins_from - 1] < 0) --wins_from;
    if (wins_from == 0) return {-infinite, wins_from};
    if (wins_from == log_ratio.size()) return {infinite, wins_from};
    const double loss = log_ratio[wins_from - 1];
    const double share = std::isinf(loss) ? 1 : loss / (loss - log_ratio[wins_from]);
    const double from = std::log(static_cast<double>(sizes[wins_from - 1]));
    const double to = std::log(static_cast<double>(sizes[wins_from]));
    return {std::exp(from + share * (to - from)), wins_from};
}

class finder {
  public:
    finder(std::vector<column> columns, const statistics::bootstrap_options& how)
        : columns_(std::move(columns)), how_(how) {
        for (const column& c : columns_) sizes_.push_back(c.n);
    }

    results::crossover find() const {
        results::crossover out;
        out.gpu = columns_.front().gpu->implementation;
        for (const column& c : columns_) {
            const resampled& best = best_of(*c.cpu);
            out.points.push_back({c.n, best.implementation, best.medians.estimate,
                                  c.gpu->medians.estimate, interval_of(best, how_.confidence),
                                  interval_of(*c.gpu, how_.confidence)});
        }
        for (std::size_t i = 1; i < out.points.size(); ++i)
            out.changes += out.points[i].gpu_wins() != out.points[i - 1].gpu_wins() ? 1 : 0;
        place(out);
        out.ci95 = interval();
        return out;
    }

  private:
    // The change of the curve of `ratio`, which gives GPU time over the best CPU time for a column.
    change change_of(const auto& ratio) const {
        std::vector<double> log_ratio;
        for (const column& c : columns_) log_ratio.push_back(std::log(ratio(c)));
        return last_change(sizes_, log_ratio);
    }

    // A size timed once may take any time: it wins for the lower end and loses for the upper.
    [[nodiscard]] range interval() const {
        const range lower = resampled_crossings(0);
        if (std::ranges::none_of(columns_, has_one_trial)) return lower;
        return {lower[0], resampled_crossings(infinite)[1]};
    }

    [[nodiscard]] range resampled_crossings(double ratio_of_one_trial) const {
        std::vector<double> crossings(how_.resamples);
        for (std::size_t r = 0; r < how_.resamples; ++r)
            crossings[r] = change_of([&](const column& c) {
                               if (has_one_trial(c)) return ratio_of_one_trial;
                               return c.gpu->medians.resampled[r] / best_resample(*c.cpu, r);
                           }).n;
        return percentiles(std::move(crossings), how_.confidence);
    }

    void place(results::crossover& out) const {
        const change found = change_of([](const column& c) {
            return c.gpu->medians.estimate / best_of(*c.cpu).medians.estimate;
        });
        if (std::isinf(found.n)) {
            out.outcome = found.n < 0 ? "always" : "never";
            return;
        }
        out.n = found.n;
        const column& before = columns_[found.wins_from - 1];
        const column& after = columns_[found.wins_from];
        out.outcome = "crosses";
        out.between = {before.n, after.n};
        const auto few = [](const resampled& r) { return r.medians.n < statistics::enough_trials; };
        for (const column* c : {&before, &after})
            out.few_trials = out.few_trials || few(*c->gpu) || few(best_of(*c->cpu));
    }

    std::vector<column> columns_;
    const statistics::bootstrap_options& how_;
    std::vector<std::int64_t> sizes_;
};

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

std::vector<results::crossover> find_crossings(std::span<const size_trials> measured,
                                               const statistics::bootstrap_options& how) {
    struct resampled_size {
        std::int64_t n;
        std::vector<resampled> cpu, gpu;
    };
    std::uint64_t stream = 0;  // its own for every sample: they are independent
    const auto resample = [&](const std::vector<sample>& all) {
        std::vector<resampled> out;
        out.reserve(all.size());
        for (const sample& s : all)
            out.push_back(
                {s.implementation, statistics::resample_medians(s.trials_s, how, ++stream)});
        return out;
    };
    std::vector<resampled_size> sizes;
    std::vector<std::string> names;
    for (const size_trials& m : measured) {
        if (m.cpu.empty()) continue;
        sizes.push_back({m.n, resample(m.cpu), resample(m.gpu)});
        for (const sample& s : m.gpu)
            if (std::ranges::find(names, s.implementation) == names.end())
                names.push_back(s.implementation);
    }
    std::ranges::sort(sizes, {}, &resampled_size::n);
    std::vector<results::crossover> found;
    for (const std::string& gpu : names) {
        std::vector<column> columns;
        for (const resampled_size& s : sizes)
            for (const resampled& r : s.gpu)
                if (r.implementation == gpu) columns.push_back({s.n, &s.cpu, &r});
        if (columns.size() > 1) found.push_back(finder(std::move(columns), how).find());
    }
    return found;
}

std::vector<std::int64_t> sizes_between(std::span<const results::crossover> crossings,
                                        double ratio) {
    constexpr std::int64_t tile = 16;
    std::set<std::int64_t> sizes;
    for (const results::crossover& c : crossings) {
        if (!c.between) continue;
        const std::int64_t below = c.between->front(), above = c.between->back();
        const auto from = static_cast<double>(below), to = static_cast<double>(above);
        if (to <= ratio * from) continue;
        const auto middle = static_cast<std::int64_t>(std::lround(std::sqrt(from * to)));
        const std::int64_t whole = (middle + tile / 2) / tile * tile;
        const std::int64_t next = whole > below && whole < above ? whole : middle;
        if (next > below && next < above) sizes.insert(next);
    }
    return {sizes.begin(), sizes.end()};
}

}  // namespace carat::crossover
