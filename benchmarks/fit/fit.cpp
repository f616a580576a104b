// Fits what launches cost to a measured corpus: carat_fit COSTS.json CORPUS ...
//
// A quarter of the products is held out. The others give the constants: by Levenberg-Marquardt on the
// logarithms of times, of which differences between plans of one product count in full and its mean a
// little; then by trying what makes the chosen plans faster. Prints how good the choices are, of the
// products held out, and writes the file.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "benchmarks/fit/corpus.hpp"
#include "plan/costs.hpp"

namespace {

using namespace carat;
using fit::family;
using fit::measured_plan;
using fit::measured_product;
using plan::gpu_costs;

// A constant, wherever it is.
struct variable {
    std::string name;
    double* at;
};

template <class Costs>
void add(std::vector<variable>& all, Costs& of) {
    for (const auto& c : Costs::constants()) all.push_back({std::string(c.name), &(of.*(c.at))});
}

// What is fitted together: a family's constants, to its plans of these products.
struct task {
    const char* name;
    family of;
    std::vector<variable> (*variables)(gpu_costs& costs);
    bool (*takes)(const measured_product& p);
};

const task tasks[] = {
    {"wgmma", family::wgmma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.wgmma);
         add(all, c.packing);
         return all;
     },
     [](const measured_product&) { return true; }},
    {"mma_half", family::mma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.mma_half);
         return all;
     },
     [](const measured_product& p) { return p.mma_costs == &gpu_costs::mma_half; }},
    {"mma_f64", family::mma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.mma_f64);
         return all;
     },
     [](const measured_product& p) { return p.mma_costs == &gpu_costs::mma_f64; }},
    {"mma_tf32", family::mma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.mma_tf32);
         return all;
     },
     [](const measured_product& p) { return p.mma_costs == &gpu_costs::mma_tf32; }},
    {"mma_f32", family::mma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.mma_f32);
         return all;
     },
     [](const measured_product& p) { return p.mma_costs == &gpu_costs::mma_f32; }},
    {"fma_f32", family::fma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.fma_f32);
         return all;
     },
     [](const measured_product& p) { return p.kind == "f32"; }},
    {"fma_f64", family::fma,
     [](gpu_costs& c) {
         std::vector<variable> all;
         add(all, c.fma_f64);
         return all;
     },
     [](const measured_product& p) { return p.kind == "f64"; }}};

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

// The nearer to its family's fastest, the more a plan counts; one measured once, a third. None counts
// for nothing: that it is slow has to be known.
constexpr double least_weight = 0.02;
std::vector<weighed_product> weigh(const std::vector<const measured_product*>& all, const task& t,
                                   double sharpness) {
    std::vector<weighed_product> made;
    for (const measured_product* p : all) {
        if (!t.takes(*p)) continue;
        weighed_product one{p, {}, 1e30};
        for (const measured_plan& w : p->plans)
            if (w.of == t.of) one.best_us = std::min(one.best_us, w.us);
        double sum = 0;
        for (const measured_plan& w : p->plans)
            if (w.of == t.of && w.us < 6 * one.best_us) {
                const double near = std::pow(std::max(1.0, w.us / one.best_us), -sharpness);
                const double weight = std::max(least_weight, near) * (w.in_turns ? 1 : 0.35);
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

std::vector<double> residuals(const std::vector<weighed_product>& all, const gpu_costs& costs) {
    constexpr double of_mean = 0.4;
    std::vector<double> made;
    for (const weighed_product& p : all) {
        const std::size_t first = made.size();
        double mean = 0;
        for (const weighed& w : p.plans) {
            const double error =
                std::log(1e6 * fit::predicted_s(*w.plan, *p.of, costs) / w.plan->us);
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
        sum += std::abs(e) < robust_from ? e * e
                                         : robust_from * (2 * std::abs(e) - robust_from);
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

// In logarithms: no constant becomes negative.
void fit_times(gpu_costs& costs, const task& t, const std::vector<weighed_product>& all,
               int rounds) {
    std::vector<variable> x = t.variables(costs);
    const std::size_t n = x.size();
    std::vector<double> now = residuals(all, costs);
    double best = loss(now);
    double damping = 1e-2;
    for (int round = 0; round < rounds; ++round) {
        constexpr double step = 1e-3;
        std::vector<std::vector<double>> slopes(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double before = *x[i].at;
            *x[i].at *= std::exp(step);
            slopes[i] = residuals(all, costs);
            *x[i].at = before;
            for (std::size_t r = 0; r < now.size(); ++r) slopes[i][r] = (slopes[i][r] - now[r]) / step;
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
                *x[i].at *= std::exp(std::clamp(move[i], -0.7, 0.7));
            }
            std::vector<double> then = residuals(all, costs);
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

// What the chosen plans lose, softly chosen, and a little of the error of times.
double choice_loss(const std::vector<weighed_product>& all, const gpu_costs& costs) {
    constexpr double softness = 0.02;
    double total = 0;
    std::vector<double> predicted;
    for (const weighed_product& p : all) {
        predicted.clear();
        double least = 1e30;
        for (const weighed& w : p.plans) {
            predicted.push_back(1e6 * fit::predicted_s(*w.plan, *p.of, costs));
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

void fit_choices(gpu_costs& costs, const task& t, const std::vector<weighed_product>& all,
                 int rounds) {
    std::mt19937_64 random(1);
    std::vector<variable> x = t.variables(costs);
    std::vector<double> step(x.size(), 0.05);
    double best = choice_loss(all, costs);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double before = *x[i].at;
            *x[i].at *= std::exp(std::normal_distribution<double>(0, step[i])(random));
            const double lost = choice_loss(all, costs);
            if (lost < best) {
                best = lost;
                step[i] = std::min(0.4, step[i] * 1.6);
            } else {
                *x[i].at = before;
                step[i] = std::max(0.004, step[i] * 0.85);
            }
        }
    std::printf("%s: choices lose %.5f\n", t.name, best);
}

struct quality {
    std::size_t products = 0;
    double mean = 0, p5 = 0;                // the best's time over the chosen one's
    double before_mean = 0, before_p5 = 0;  // and over what the measuring program chose
    double in_first_eight = 0, within_15 = 0;
};

double geometric_mean(const std::vector<double>& of) {
    double sum = 0;
    for (const double x : of) sum += std::log(x);
    return std::exp(sum / static_cast<double>(of.size()));
}

// `only`: of those that were measured in turns, so that noise isn't taken for a loss.
quality judge(const std::vector<const measured_product*>& all, const gpu_costs& costs) {
    std::vector<double> now, before;
    quality q;
    for (const measured_product* p : all) {
        std::vector<std::pair<double, const measured_plan*>> order;
        double best = p->chosen_us;
        for (const measured_plan& w : p->plans) {
            order.emplace_back(fit::predicted_s(w, *p, costs), &w);
            if (w.in_turns) best = std::min(best, w.us);
        }
        if (order.empty()) continue;
        std::ranges::sort(order);
        const auto& [seconds, chosen] = order.front();
        now.push_back(std::min(1.0, best / chosen->us));
        before.push_back(best / p->chosen_us);
        const std::size_t first = std::min<std::size_t>(8, order.size());
        q.in_first_eight += std::ranges::any_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first),
                                                [&](const auto& o) { return o.second->us <= 1.01 * best; });
        q.within_15 += std::abs(std::log(1e6 * seconds / chosen->us)) < std::log(1.15);
    }
    q.products = now.size();
    if (now.empty()) return q;
    std::ranges::sort(now);
    std::ranges::sort(before);
    q.mean = geometric_mean(now);
    q.p5 = now[now.size() / 20];
    q.before_mean = geometric_mean(before);
    q.before_p5 = before[before.size() / 20];
    q.in_first_eight /= static_cast<double>(q.products);
    q.within_15 /= static_cast<double>(q.products);
    return q;
}

nlohmann::ordered_json report(const std::vector<const measured_product*>& all,
                              const gpu_costs& costs) {
    std::map<std::string, std::vector<const measured_product*>> groups;
    for (const measured_product* p : all) {
        const std::string size = p->flop >= 2e8 ? "from 2e8 operations" : "below 2e8";
        groups[(p->is_batch ? "batches " : "single ") + size].push_back(p);
        if (!p->is_batch && p->flop >= 2e8 && std::min(p->wgmma.m, p->wgmma.n) <= 32 &&
            p->wgmma.m > 0)
            groups["single of up to 32 rows or columns"].push_back(p);
        if (p->flop >= 2e8) groups[p->kind + (p->is_batch ? " batches" : "")].push_back(p);
    }
    nlohmann::ordered_json told;
    for (const auto& [name, some] : groups) {
        const quality q = judge(some, costs);
        std::printf("%-30s %5zu  %.3f p5 %.3f  before %.3f p5 %.3f  first eight %.2f  15%% %.2f\n",
                    name.c_str(), q.products, q.mean, q.p5, q.before_mean, q.before_p5,
                    q.in_first_eight, q.within_15);
        const auto round = [](double x) { return std::round(x * 1000) / 1000; };
        told[name] = {{"products", q.products},
                      {"geomean", round(q.mean)},
                      {"p5", round(q.p5)},
                      {"best_in_first_eight", round(q.in_first_eight)},
                      {"time_within_15_percent", round(q.within_15)}};
    }
    return told;
}

template <class Costs>
nlohmann::ordered_json in_json(const Costs& of) {
    nlohmann::ordered_json all;
    for (const auto& c : Costs::constants()) {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", of.*(c.at));
        all[std::string(c.name)] = {
            {"value", std::strtod(text, nullptr)}, {"unit", c.unit}, {"meaning", c.meaning}};
    }
    return all;
}

int run(int count, char** words) {
    if (count < 3) {
        std::fprintf(stderr, "usage: carat_fit [--judge] COSTS.json CORPUS ...\n");
        return 2;
    }
    std::vector<std::string> files(words + 1, words + count);
    const bool judges = files.front() == "--judge";
    if (judges) files.erase(files.begin());
    const std::string to = files.front();
    files.erase(files.begin());
    const std::vector<measured_product> corpus = fit::read_corpus(files);
    gpu_costs costs = plan::costs_of_h200;
    std::vector<const measured_product*> given, held_out;
    for (std::size_t i = 0; i < corpus.size(); ++i)
        (judges || i % 4 == 3 ? held_out : given).push_back(&corpus[i]);
    std::printf("%zu products, %zu held out\n", corpus.size(), held_out.size());
    if (!judges)
        for (const task& t : tasks) {
            fit_times(costs, t, weigh(given, t, 2), 20);
            fit_times(costs, t, weigh(given, t, 4), 12);
        }
    if (!judges)
        for (int turn = 0; turn < 2; ++turn)
            for (const task& t : tasks) fit_choices(costs, t, choices_of(given, t), 10);
    nlohmann::ordered_json told;
    const nlohmann::ordered_json quality_of = report(held_out, costs);
    if (judges) return 0;
    told["gpu"] = "NVIDIA H200";
    told["memory_bytes_per_s"] = costs.memory_bytes_per_s;
    told["corpus"] = {{"products", corpus.size()}, {"held_out", held_out.size()}};
    told["held_out"] = quality_of;
    told["families"] = {{"wgmma", in_json(costs.wgmma)},       {"packing", in_json(costs.packing)},
                        {"mma_half", in_json(costs.mma_half)}, {"mma_f64", in_json(costs.mma_f64)},
                        {"mma_tf32", in_json(costs.mma_tf32)}, {"mma_f32", in_json(costs.mma_f32)},
                        {"fma_f32", in_json(costs.fma_f32)},   {"fma_f64", in_json(costs.fma_f64)}};
    std::ofstream(to) << told.dump(1) << "\n";
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run(count, words);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "carat_fit: %s\n", e.what());
        return 1;
    }
}
