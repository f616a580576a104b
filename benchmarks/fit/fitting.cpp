#include "benchmarks/fit/fitting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

namespace carat::fit {

namespace {

double predicted_us(const measured_plan& plan, const measured_product& of,
                    const plan::gpu_costs& by) {
    return 1e6 * predicted_s(plan, of, by);
}

// Constants, wherever they are.
using variables = std::vector<double*>;

template <auto... Families>
variables variables_of(plan::gpu_costs& of) {
    variables all;
    const auto add = [&](auto& family) {
        plan::each_constant(family, [&](const auto&, double& value) { all.push_back(&value); });
    };
    (add(of.*Families), ...);
    return all;
}

// What is fitted together: a family's constants, to its plans of these products.
struct task {
    const char* name;
    family of;
    variables (*find)(plan::gpu_costs& of);
    bool (*takes)(const measured_product& p);
};

template <auto Costs>
bool takes_mma(const measured_product& p) {
    return p.costs_of_mma == Costs;
}

const task tasks[] = {
    {"wgmma", family::wgmma, variables_of<&plan::gpu_costs::wgmma, &plan::gpu_costs::packing>,
     [](const measured_product&) { return true; }},
    {"mma_half", family::mma, variables_of<&plan::gpu_costs::mma_half>,
     takes_mma<&plan::gpu_costs::mma_half>},
    {"mma_f64", family::mma, variables_of<&plan::gpu_costs::mma_f64>,
     takes_mma<&plan::gpu_costs::mma_f64>},
    {"mma_tf32", family::mma, variables_of<&plan::gpu_costs::mma_tf32>,
     takes_mma<&plan::gpu_costs::mma_tf32>},
    {"mma_f32", family::mma, variables_of<&plan::gpu_costs::mma_f32>,
     takes_mma<&plan::gpu_costs::mma_f32>},
    {"mma_large", family::large, variables_of<&plan::gpu_costs::mma_large>,
     [](const measured_product&) { return true; }},
    {"fma_f32", family::fma, variables_of<&plan::gpu_costs::fma_f32>,
     [](const measured_product& p) { return p.kind == "f32"; }},
    {"fma_f64", family::fma, variables_of<&plan::gpu_costs::fma_f64>,
     [](const measured_product& p) { return p.kind == "f64"; }},
    {"gemv", family::gemv, variables_of<&plan::gpu_costs::gemv>,
     [](const measured_product&) { return true; }}};

// A plan that counts, and how much.
struct weighed {
    const measured_plan* plan;
    double weight;
};
struct weighed_product {
    const measured_product* of;
    std::vector<weighed> plans;
    double best_us;
};

// The nearer to its family's fastest, the more a plan counts; one measured once, a third, and only
// every fourth of those. None counts for nothing: that it is slow has to be known. Persistent plans
// are few beside others.
constexpr double least_weight = 0.02;
constexpr double persistent_weight = 3;
constexpr std::size_t each_slow = 4;
bool is_persistent(const measured_plan& w) {
    return w.of == family::wgmma && w.wgmma.kernel->is_persistent();
}
std::vector<weighed_product> weigh(const std::vector<const measured_product*>& all, const task& t,
                                   double sharpness) {
    std::vector<weighed_product> made;
    for (const measured_product* p : all) {
        if (!t.takes(*p)) continue;
        weighed_product one{p, {}, 1e30};
        for (const measured_plan& w : p->plans)
            if (w.of == t.of) one.best_us = std::min(one.best_us, w.us);
        double sum = 0;
        for (std::size_t i = 0; i < p->plans.size(); ++i) {
            const measured_plan& w = p->plans[i];
            if (w.of != t.of || w.us > 6 * one.best_us) continue;
            if (!w.in_turns && t.of == family::wgmma && i % each_slow != 0) continue;
            const double near = std::pow(std::max(1.0, w.us / one.best_us), -sharpness);
            const double weight = std::max(least_weight, near) * (w.in_turns ? 1 : 0.35) *
                                  (is_persistent(w) ? persistent_weight : 1);
            one.plans.push_back({&w, weight});
            sum += weight;
        }
        for (weighed& w : one.plans) w.weight /= sum;
        if (!one.plans.empty()) made.push_back(std::move(one));
    }
    return made;
}

// Those that a family takes, with the plans of all families.
std::vector<weighed_product> choices_of(const std::vector<const measured_product*>& all,
                                        const task& t) {
    std::vector<weighed_product> made;
    for (const measured_product* p : all) {
        if (!t.takes(*p) ||
            std::ranges::none_of(p->plans, [&](const auto& w) { return w.of == t.of; }))
            continue;
        weighed_product one{p, {}, 1e30};
        for (const measured_plan& w : p->plans) one.best_us = std::min(one.best_us, w.us);
        for (const measured_plan& w : p->plans)
            if (w.us < 4 * one.best_us) one.plans.push_back({&w, w.in_turns ? 0.1 : 0});
        made.push_back(std::move(one));
    }
    return made;
}

std::vector<double> residuals(const std::vector<weighed_product>& all, const plan::gpu_costs& by) {
    constexpr double of_mean = 0.4;
    std::vector<double> made;
    for (const weighed_product& p : all) {
        const std::size_t first = made.size();
        double mean = 0;
        for (const weighed& w : p.plans) {
            const double error = std::log(predicted_us(*w.plan, *p.of, by) / w.plan->us);
            made.push_back(error);
            mean += w.weight * error;
        }
        for (std::size_t i = 0; i < p.plans.size(); ++i)
            made[first + i] = std::sqrt(p.plans[i].weight) * (made[first + i] - mean);
        made.push_back(of_mean * mean);
    }
    return made;
}

// Outliers count by their distance alone.
constexpr double robust_from = 0.3;
double loss(const std::vector<double>& of) {
    double sum = 0;
    for (const double e : of)
        sum += std::abs(e) < robust_from ? e * e : robust_from * (2 * std::abs(e) - robust_from);
    return sum;
}

// A x = b.
std::vector<double> solved(std::vector<double> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        for (std::size_t j = i + 1; j < n; ++j)
            if (std::abs(a[j * n + i]) > std::abs(a[pivot * n + i])) pivot = j;
        for (std::size_t k = 0; k < n; ++k) std::swap(a[i * n + k], a[pivot * n + k]);
        std::swap(b[i], b[pivot]);
        for (std::size_t j = i + 1; j < n; ++j) {
            const double factor = a[j * n + i] / a[i * n + i];
            for (std::size_t k = i; k < n; ++k) a[j * n + k] -= factor * a[i * n + k];
            b[j] -= factor * b[i];
        }
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
    return b;
}

// Steps are taken in logarithms, so that no constant becomes negative.
void fit_times(plan::gpu_costs& by, const task& t, const std::vector<weighed_product>& all,
               int rounds) {
    if (all.empty()) return;
    variables x = t.find(by);
    const std::size_t n = x.size();
    std::vector<double> now = residuals(all, by);
    double best = loss(now);
    double damping = 1e-2;
    for (int round = 0; round < rounds; ++round) {
        constexpr double step = 1e-3;
        std::vector<std::vector<double>> slopes(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double before = *x[i];
            *x[i] *= std::exp(step);
            slopes[i] = residuals(all, by);
            *x[i] = before;
            for (std::size_t r = 0; r < now.size(); ++r)
                slopes[i][r] = (slopes[i][r] - now[r]) / step;
        }
        std::vector<double> a(n * n), b(n);
        for (std::size_t r = 0; r < now.size(); ++r) {
            const double weight =
                std::abs(now[r]) < robust_from ? 1 : robust_from / std::abs(now[r]);
            for (std::size_t i = 0; i < n; ++i) {
                b[i] -= weight * slopes[i][r] * now[r];
                for (std::size_t j = 0; j <= i; ++j)
                    a[i * n + j] += weight * slopes[i][r] * slopes[j][r];
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) a[i * n + j] = a[j * n + i];
        bool better = false;
        for (int attempt = 0; attempt < 7 && !better; ++attempt, damping *= 4) {
            std::vector<double> damped = a;
            for (std::size_t i = 0; i < n; ++i)
                damped[i * n + i] +=
                    damping * (a[i * n + i] + 1e-5 * static_cast<double>(all.size())) + 1e-6;
            const std::vector<double> move = solved(damped, b);
            std::vector<double> before;
            for (std::size_t i = 0; i < n; ++i) {
                before.push_back(*x[i]);
                *x[i] *= std::exp(std::clamp(move[i], -0.7, 0.7));
            }
            std::vector<double> then = residuals(all, by);
            const double lost = loss(then);
            if (lost < best) {
                better = true;
                if (best - lost < 1e-5 * best) round = rounds;
                best = lost;
                now = std::move(then);
                damping = std::max(1e-6, damping / 16);
            } else {
                for (std::size_t i = 0; i < n; ++i) *x[i] = before[i];
            }
        }
        if (!better) break;
    }
    std::printf("%s: %zu products, loss %.5f each\n", t.name, all.size(),
                best / static_cast<double>(all.size()));
}

// What the chosen plans lose, softly chosen, and a little of the error of times.
double choice_loss(const std::vector<weighed_product>& all, const plan::gpu_costs& by) {
    constexpr double softness = 0.02;
    double total = 0;
    std::vector<double> predicted;
    for (const weighed_product& p : all) {
        predicted.clear();
        double least = 1e30;
        for (const weighed& w : p.plans) {
            predicted.push_back(predicted_us(*w.plan, *p.of, by));
            least = std::min(least, predicted.back());
        }
        double chances = 0, lost = 0, error = 0;
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            const double us = p.plans[i].plan->us;
            const double chance = std::exp(-std::log(predicted[i] / least) / softness);
            chances += chance;
            lost += chance * std::min(1.0, std::log(us / p.best_us));
            error += p.plans[i].weight * std::min(1.0, std::abs(std::log(predicted[i] / us)));
        }
        total += lost / chances + 0.15 * error;
    }
    return total / static_cast<double>(all.size());
}

void fit_choices(plan::gpu_costs& by, const task& t, const std::vector<weighed_product>& all,
                 int rounds) {
    if (all.empty()) return;
    std::mt19937_64 random(1);
    variables x = t.find(by);
    std::vector<double> step(x.size(), 0.05);
    double best = choice_loss(all, by);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double before = *x[i];
            *x[i] *= std::exp(std::normal_distribution<double>(0, step[i])(random));
            const double lost = choice_loss(all, by);
            if (lost < best) {
                best = lost;
                step[i] = std::min(0.4, step[i] * 1.6);
            } else {
                *x[i] = before;
                step[i] = std::max(0.004, step[i] * 0.85);
            }
        }
    std::printf("%s: choices lose %.5f\n", t.name, best);
}

}  // namespace

void fit(plan::gpu_costs& costs, const std::vector<const measured_product*>& to) {
    for (const task& t : tasks) {
        fit_times(costs, t, weigh(to, t, 2), 20);
        fit_times(costs, t, weigh(to, t, 4), 12);
    }
    for (int turn = 0; turn < 2; ++turn)
        for (const task& t : tasks) fit_choices(costs, t, choices_of(to, t), 10);
}

}  // namespace carat::fit
