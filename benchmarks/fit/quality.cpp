#include "benchmarks/fit/quality.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace carat::fit {

namespace {

shares shares_of(std::vector<double> logarithms) {
    if (logarithms.empty()) return {};
    std::ranges::sort(logarithms);
    const double sum = std::accumulate(logarithms.begin(), logarithms.end(), 0.0);
    return {std::exp(sum / static_cast<double>(logarithms.size())),
            std::exp(logarithms[logarithms.size() / 20])};
}

// Times of a product's plans, the least predicted one first, and of the engine's choice.
struct ranking {
    std::vector<const measured_times*> plans;
    std::vector<const measured_times*> in_turns;     // of these
    std::vector<const measured_times*> with_chosen;  // and the engine's choice
    const measured_times* chosen;
    double predicted_us = 0;

    [[nodiscard]] std::vector<const measured_times*> first_eight() const {
        return {plans.begin(), plans.begin() + std::min<std::ptrdiff_t>(8, std::ssize(plans))};
    }
};

std::optional<ranking> rank(const measured_product& p, const plan::gpu_costs& costs) {
    std::vector<std::pair<double, const measured_plan*>> order;
    for (const measured_plan& w : p.plans) order.emplace_back(predicted_s(w, p, costs), &w);
    if (order.empty() || p.chosen.turns.empty()) return std::nullopt;
    std::ranges::sort(order);
    ranking made{.plans = {},
                 .in_turns = {},
                 .with_chosen = {&p.chosen},
                 .chosen = &p.chosen,
                 .predicted_us = 1e6 * order.front().first};
    for (const auto& [seconds, w] : order) {
        made.plans.push_back(&w->times);
        if (w->times.in_turns()) made.in_turns.push_back(&w->times);
    }
    // A choice that no plan here is, such as rows of all products as one, may be faster than all.
    if (made.in_turns.empty()) made.in_turns = made.plans;
    made.with_chosen.insert(made.with_chosen.end(), made.in_turns.begin(), made.in_turns.end());
    return made;
}

const measured_times* fastest(const std::vector<const measured_times*>& of, std::size_t half) {
    return *std::ranges::min_element(of, {}, [&](const auto* t) { return t->us_in(half); });
}

const measured_times* fastest(const std::vector<const measured_times*>& of) {
    return *std::ranges::min_element(of, {}, [](const auto* t) { return t->us(); });
}

// Logarithms of shares, a product each.
struct judged {
    std::vector<double> chosen, predicted, eight, chosen_biased;
};

void add(judged& to, quality& q, const ranking& r) {
    double chosen = 0, predicted = 0, eight = 0;
    const auto first = r.first_eight();
    for (const std::size_t names : {std::size_t{0}, std::size_t{1}}) {
        const std::size_t tells = 1 - names;
        const double best = fastest(r.in_turns, names)->us_in(tells);
        const double of_eight = best / fastest(first, names)->us_in(tells);
        chosen +=
            std::log(fastest(r.with_chosen, names)->us_in(tells) / r.chosen->us_in(tells)) / 2;
        predicted += std::log(best / r.plans.front()->us_in(tells)) / 2;
        eight += std::log(of_eight) / 2;
        q.near_in_eight += of_eight >= 0.99 ? 0.5 : 0;
    }
    to.chosen.push_back(chosen);
    to.predicted.push_back(predicted);
    to.eight.push_back(eight);
    to.chosen_biased.push_back(std::log(fastest(r.with_chosen)->us() / r.chosen->us()));
    q.best_in_eight += fastest(first)->us() <= fastest(r.plans)->us();
    q.within_15 += std::abs(std::log(r.predicted_us / r.plans.front()->us())) < std::log(1.15);
}

}  // namespace

quality judge(const std::vector<const measured_product*>& all, const plan::gpu_costs& costs) {
    judged logarithms;
    quality q;
    for (const measured_product* p : all)
        if (const auto ranked = rank(*p, costs)) add(logarithms, q, *ranked);
    q.products = logarithms.chosen.size();
    if (q.products == 0) return q;
    q.chosen = shares_of(logarithms.chosen);
    q.predicted = shares_of(logarithms.predicted);
    q.tried_eight = shares_of(logarithms.eight);
    q.chosen_biased = shares_of(logarithms.chosen_biased);
    for (double* share : {&q.near_in_eight, &q.best_in_eight, &q.within_15})
        *share /= static_cast<double>(q.products);
    return q;
}

}  // namespace carat::fit
