#include "lab/crossover/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/statistics/summary.hpp"

namespace carat::crossover {

namespace {

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

statistics::interval percentiles(std::vector<double> values, double confidence) {
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

estimate estimated(const resampled& r, double confidence) {
    const bool one = r.medians.n == 1;
    return {r.implementation, r.medians.estimate,
            one ? statistics::interval{0, infinite} : percentiles(r.medians.resampled, confidence)};
}

struct change {
    double n;               // where; infinite as in crossing
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

    crossing find() const {
        crossing out;
        out.gpu = columns_.front().gpu->implementation;
        for (const column& c : columns_)
            out.points.push_back({c.n, estimated(best_of(*c.cpu), how_.confidence),
                                  estimated(*c.gpu, how_.confidence)});
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
    [[nodiscard]] statistics::interval interval() const {
        const statistics::interval lower = resampled_crossings(0);
        if (std::ranges::none_of(columns_, has_one_trial)) return lower;
        return {lower.lower, resampled_crossings(infinite).upper};
    }

    [[nodiscard]] statistics::interval resampled_crossings(double ratio_of_one_trial) const {
        std::vector<double> crossings(how_.resamples);
        for (std::size_t r = 0; r < how_.resamples; ++r)
            crossings[r] = change_of([&](const column& c) {
                               if (has_one_trial(c)) return ratio_of_one_trial;
                               return c.gpu->medians.resampled[r] / best_resample(*c.cpu, r);
                           }).n;
        return percentiles(std::move(crossings), how_.confidence);
    }

    void place(crossing& out) const {
        const change found = change_of([](const column& c) {
            return c.gpu->medians.estimate / best_of(*c.cpu).medians.estimate;
        });
        out.n = found.n;
        if (std::isinf(out.n)) {
            out.what = out.n < 0 ? outcome::always : outcome::never;
            return;
        }
        const column& before = columns_[found.wins_from - 1];
        const column& after = columns_[found.wins_from];
        out.what = outcome::crosses;
        out.below = before.n;
        out.above = after.n;
        const auto few = [](const resampled& r) { return r.medians.n < statistics::enough_trials; };
        for (const column* c : {&before, &after})
            out.few_trials = out.few_trials || few(*c->gpu) || few(best_of(*c->cpu));
    }

    std::vector<column> columns_;
    const statistics::bootstrap_options& how_;
    std::vector<std::int64_t> sizes_;
};

}  // namespace

std::string_view name(outcome o) {
    switch (o) {
        case outcome::crosses:
            return "crosses";
        case outcome::always:
            return "always";
        case outcome::never:
            return "never";
    }
    return "?";
}

std::vector<crossing> find_crossings(std::span<const size_trials> measured,
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
    std::vector<crossing> found;
    for (const std::string& gpu : names) {
        std::vector<column> columns;
        for (const resampled_size& s : sizes)
            for (const resampled& r : s.gpu)
                if (r.implementation == gpu) columns.push_back({s.n, &s.cpu, &r});
        if (columns.size() > 1) found.push_back(finder(std::move(columns), how).find());
    }
    return found;
}

std::vector<std::int64_t> sizes_between(std::span<const crossing> crossings, double ratio) {
    constexpr std::int64_t tile = 16;
    std::set<std::int64_t> sizes;
    for (const crossing& c : crossings) {
        if (c.what != outcome::crosses) continue;
        const auto below = static_cast<double>(c.below);
        const auto above = static_cast<double>(c.above);
        if (above <= ratio * below) continue;
        const auto middle = static_cast<std::int64_t>(std::lround(std::sqrt(below * above)));
        const std::int64_t whole = (middle + tile / 2) / tile * tile;
        const std::int64_t next = whole > c.below && whole < c.above ? whole : middle;
        if (next > c.below && next < c.above) sizes.insert(next);
    }
    return {sizes.begin(), sizes.end()};
}

}  // namespace carat::crossover
