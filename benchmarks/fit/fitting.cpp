#include "benchmarks/fit/fitting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/families/fma/kernel_table.hpp"

namespace carat::fit {

namespace {

double predicted_us(const measured_plan& plan, const measured_product& of,
                    const plan::gpu_costs& by) {
    return 1e6 * predicted_s(plan, of, by);
}

// Where a constant may lie. What few products tell of would otherwise go anywhere.
struct range {
    double low, high;
};
range range_of(std::string_view name, std::string_view unit) {
    const auto is = [&](std::string_view end) { return name.ends_with(end); };
    if (name == "memory_bytes_per_s") return {3e12, 5e12};  // an H200 reads 4.6e12
    if (name == "l2_bytes_per_s") return {5e12, 2e13};
    if (name == "l2_bytes") return {5e5, 6e7};
    if (is("launch_s")) return {1e-7, 6e-6};
    if (name == "column_s") return {1.4e-9, 5e-9};  // at the peak 2.0e-9
    if (name == "promoted_factor") return {1, 2.5};
    if (unit == "s") return {1e-8, 6e-6};
    if (unit == "bytes/s") return {1e9, 2e13};
    if (name == "busy_share") return {0.01, 0.5};
    if (is("_share")) return {0.05, 2};
    if (name == "alone_factor") return {0.3, 2};
    if (is("_factor")) return {0.8, 12};
    if (unit == "flop/s") return {1e11, 1e13};
    return {0.1, 100};
}

// A constant, wherever it is.
struct variable {
    double* at;
    range within;

    void multiply(double by) const { *at = std::clamp(*at * by, within.low, within.high); }
};
using variables = std::vector<variable>;

template <auto... Families>
variables variables_of(plan::gpu_costs& of) {
    variables all;
    const auto add = [&](auto& family) {
        plan::each_constant(family, [&](const auto& c, double& value) {
            all.push_back({&value, range_of(c.name, c.unit)});
            all.back().multiply(1);
        });
    };
    (add(of.*Families), ...);
    return all;
}

bool any(const measured_plan&) {
    return true;
}
bool is_persistent(const measured_plan& w) {
    return w.wgmma.kernel->is_persistent();
}
bool is_straight_f64(const measured_plan& w) {
    return cuda::fma::tiles_of(dtype::f64)[w.row].arrives == plan::arrival::straight;
}
template <auto Other>
bool other_than(const measured_plan& w) {
    return !Other(w);
}

// What is fitted together: a family's constants, to such plans of these products.
struct task {
    const char* name;
    family of;
    variables (*find)(plan::gpu_costs& of);
    bool (*takes)(const measured_product& p);
    bool (*counts)(const measured_plan& w) = any;

    [[nodiscard]] bool has(const measured_plan& w) const { return w.of == of && counts(w); }
};

template <auto Costs>
bool takes_mma(const measured_product& p) {
    return p.costs_of_mma == Costs;
}

const task tasks[] = {
    {"wgmma", family::wgmma, variables_of<&plan::gpu_costs::wgmma, &plan::gpu_costs::packing>,
     [](const measured_product&) { return true; }, other_than<is_persistent>},
    {"persistent", family::wgmma, variables_of<&plan::gpu_costs::persistent>,
     [](const measured_product&) { return true; }, is_persistent},
    {"mma_half", family::mma, variables_of<&plan::gpu_costs::mma_half>,
     takes_mma<&plan::gpu_costs::mma_half>},
    {"mma_lean", family::lean, variables_of<&plan::gpu_costs::mma_lean>,
     [](const measured_product&) { return true; }},
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
     [](const measured_product& p) { return p.kind == "f64"; }, other_than<is_straight_f64>},
    {"fma_f64_straight", family::fma, variables_of<&plan::gpu_costs::fma_f64_straight>,
     [](const measured_product& p) { return p.kind == "f64"; }, is_straight_f64},
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

// The nearer to its family's fastest, the more a plan counts; one measured once, a third. None
// counts for nothing: that it is slow has to be known.
constexpr double least_weight = 0.02;
constexpr double weight_once = 0.35;
std::vector<weighed_product> weigh(const std::vector<const measured_product*>& all, const task& t,
                                   double sharpness) {
    std::vector<weighed_product> made;
    for (const measured_product* p : all) {
        if (!t.takes(*p)) continue;
        weighed_product one{p, {}, 1e30};
        for (const measured_plan& w : p->plans)
            if (t.has(w)) one.best_us = std::min(one.best_us, w.us);
        double sum = 0;
        for (const measured_plan& w : p->plans) {
            if (!t.has(w) || w.us > 6 * one.best_us) continue;
            const double near = std::pow(std::max(1.0, w.us / one.best_us), -sharpness);
            const double weight = std::max(least_weight, near) * (w.in_turns ? 1 : weight_once);
            one.plans.push_back({&w, weight});
            sum += weight;
        }
        for (weighed& w : one.plans) w.weight /= sum;
        if (!one.plans.empty()) made.push_back(std::move(one));
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
            const double before = *x[i].at;
            *x[i].at *= std::exp(step);
            slopes[i] = residuals(all, by);
            *x[i].at = before;
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
                before.push_back(*x[i].at);
                x[i].multiply(std::exp(std::clamp(move[i], -0.7, 0.7)));
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
                for (std::size_t i = 0; i < n; ++i) *x[i].at = before[i];
            }
        }
        if (!better) break;
    }
    std::printf("%s: %zu products, loss %.5f each\n", t.name, all.size(),
                best / static_cast<double>(all.size()));
}

// A product with plans of all families: what choosing among them loses, softly, and a little of the
// error of times.
class choice {
  public:
    choice(const measured_product& of, const task& t, const plan::gpu_costs& by) : of_(&of) {
        double best = 1e30;
        for (const measured_plan& w : of.plans) best = std::min(best, w.us);
        double sum = 0;
        for (const measured_plan& w : of.plans) {
            if (w.us > farthest * best) continue;
            const double lost = std::log(w.us / best);
            const double weight = std::exp(-2 * lost) * (w.in_turns ? 1 : weight_once);
            all_.push_back({&w, t.has(w), lost, weight, predicted_us(w, of, by)});
            has_own_ = has_own_ || t.has(w);
            sum += weight;
        }
        for (alternative& one : all_) one.weight /= sum;
    }
    [[nodiscard]] bool is_one() const { return has_own_ && all_.size() > 1; }

    [[nodiscard]] double loss(const plan::gpu_costs& by, double softness) {
        constexpr double of_error = 0.15;
        double least = 1e30;
        for (alternative& one : all_) {
            if (one.is_own) one.us = predicted_us(*one.plan, *of_, by);
            least = std::min(least, one.us);
        }
        double chances = 0, lost = 0, error = 0;
        for (const alternative& one : all_) {
            const double chance = std::pow(one.us / least, -1 / softness);
            chances += chance;
            lost += chance * std::min(1.0, one.lost);
            error += one.weight * std::min(1.0, std::abs(std::log(one.us / one.plan->us)));
        }
        return lost / chances + of_error * error;
    }

  private:
    static constexpr double farthest = 1.7;
    struct alternative {
        const measured_plan* plan;
        bool is_own;  // of the constants that are fitted
        double lost;
        double weight;
        double us;  // predicted
    };
    const measured_product* of_;
    std::vector<alternative> all_;
    bool has_own_ = false;
};

// Adam's steps down the slope of some products' loss each, in logarithms, with choices that become
// harder.
void fit_choices(plan::gpu_costs& by, const task& t,
                 const std::vector<const measured_product*>& all, int steps) {
    constexpr std::size_t at_once = 400;
    constexpr double nudge = 1e-3, soft = 0.08, hard = 0.025, longest = 0.02;
    std::vector<choice> some;
    for (const measured_product* p : all)
        if (t.takes(*p))
            if (choice one(*p, t, by); one.is_one()) some.push_back(std::move(one));
    if (some.empty()) return;
    std::mt19937_64 random(1);
    variables x = t.find(by);
    std::vector<double> mean(x.size(), 0), square(x.size(), 0);
    double last = 0;
    for (int step = 1; step <= steps; ++step) {
        std::ranges::shuffle(some, random);
        const std::span<choice> batch(some.data(), std::min(at_once, some.size()));
        const double done = static_cast<double>(step) / steps;
        const double softness = soft * std::pow(hard / soft, std::min(1.0, 1.4 * done));
        const auto loss = [&] {
            double sum = 0;
            for (choice& one : batch) sum += one.loss(by, softness);
            return sum / static_cast<double>(batch.size());
        };
        last = loss();
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double before = *x[i].at;
            *x[i].at *= std::exp(nudge);
            const double slope = (loss() - last) / nudge;
            *x[i].at = before;
            mean[i] = 0.9 * mean[i] + 0.1 * slope;
            square[i] = 0.99 * square[i] + 0.01 * slope * slope;
        }
        const double length = longest * std::min(1.0, 2.5 * (1 - done)) /
                              (1 - std::pow(0.9, step)) * std::sqrt(1 - std::pow(0.99, step));
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i].multiply(std::exp(-length * mean[i] / (std::sqrt(square[i]) + 1e-5)));
    }
    std::printf("%s: %zu choices lose %.5f\n", t.name, some.size(), last);
    std::fflush(stdout);
}

}  // namespace

void fit(plan::gpu_costs& costs, const std::vector<const measured_product*>& to) {
    for (const task& t : tasks) {
        fit_times(costs, t, weigh(to, t, 2), 20);
        fit_times(costs, t, weigh(to, t, 4), 12);
    }
    for (int turn = 0; turn < 2; ++turn)
        for (const task& t : tasks) fit_choices(costs, t, to, 200);
}

}  // namespace carat::fit
