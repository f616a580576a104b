// Fits what launches cost to a measured corpus: carat_fit COSTS.json CORPUS ...
//
// Begins with the constants of the file, holds out a quarter of the products, fits to the others,
// prints how good the choices are among those held out, and writes the file anew. --judge only
// prints that, for all products; --worst also lists those that lose most; --results RESULTS.json
// also writes it down.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "benchmarks/fit/fitting.hpp"
#include "benchmarks/fit/quality.hpp"

namespace {

namespace plan = carat::plan;
using namespace carat::fit;
using nlohmann::ordered_json;

ordered_json report(const std::vector<const measured_product*>& all, const plan::gpu_costs& costs) {
    std::map<std::string, std::vector<const measured_product*>> groups;
    for (const measured_product* p : all) {
        const std::string size = p->flop >= 2e8 ? "from 2e8 operations" : "below 2e8";
        groups[(p->is_batch ? "batches " : "single ") + size].push_back(p);
        if (!p->is_batch && p->flop >= 2e8 && p->wgmma.m > 0 && p->least_side <= 32)
            groups["single of up to 32 rows or columns"].push_back(p);
        if (p->flop >= 2e8) groups[p->kind + (p->is_batch ? " batches" : "")].push_back(p);
    }
    ordered_json told;
    for (const auto& [name, some] : groups) {
        const quality q = judge(some, costs);
        std::printf(
            "%-36s %5zu  chosen %.3f p5 %.3f  predicted %.3f p5 %.3f  eight tried %.3f p5 %.3f  "
            "in first eight %.2f (itself %.2f)  15%% %.2f\n",
            name.c_str(), q.products, q.chosen.mean, q.chosen.p5, q.predicted.mean, q.predicted.p5,
            q.tried_eight.mean, q.tried_eight.p5, q.near_in_eight, q.best_in_eight, q.within_15);
        const auto round = [](double x) { return std::round(x * 1000) / 1000; };
        const auto both = [&](const shares& s) {
            return ordered_json{{"geomean", round(s.mean)}, {"p5", round(s.p5)}};
        };
        told[name] = {{"products", q.products},
                      {"chosen", both(q.chosen)},
                      {"predicted_fastest", both(q.predicted)},
                      {"fastest_of_eight_tried", both(q.tried_eight)},
                      {"chosen_by_the_same_turns", both(q.chosen_biased)},
                      {"first_eight_reach_99_percent", round(q.near_in_eight)},
                      {"fastest_is_in_first_eight", round(q.best_in_eight)},
                      {"time_within_15_percent", round(q.within_15)}};
    }
    return told;
}

std::string text_of(const measured_plan& w) {
    char text[96];
    if (w.of == family::wgmma) {
        const plan::gemm_plan& p = w.wgmma;
        std::snprintf(text, sizeof text, "wgmma %dx%d s%d%s%s split %d cluster %dx%d on SM %d",
                      p.kernel->block_m, p.kernel->block_n, static_cast<int>(p.kernel->schedule),
                      p.kernel->stream_k ? " stream-K" : "", p.swap_ab ? " swapped" : "", p.split_k,
                      p.cluster_m, p.cluster_n, p.ctas_per_sm);
    } else {
        std::snprintf(text, sizeof text, "%s row %zu cluster %d groups %d",
                      w.of == family::fma    ? "fma"
                      : w.of == family::mma  ? "mma"
                      : w.of == family::gemv ? "gemv"
                      : w.of == family::lean ? "mma lean"
                                             : "mma large",
                      w.row, w.cut.cluster, w.of == family::large ? w.splits : w.cut.groups);
    }
    return text;
}

// The products that lose most by what is chosen for them, with the chosen and the fastest plan.
void print_worst(const std::vector<const measured_product*>& all, const plan::gpu_costs& costs) {
    constexpr std::size_t most = 60;
    struct loss {
        double share;
        const measured_product* of;
        const measured_plan* chosen;
        const measured_plan* best;
    };
    std::vector<loss> losses;
    for (const measured_product* p : all) {
        loss one{1, p, nullptr, nullptr};
        double least = 1e30;
        for (const measured_plan& w : p->plans) {
            const double seconds = predicted_s(w, *p, costs);
            if (seconds < least) one.chosen = &w, least = seconds;
            if (w.in_turns && (one.best == nullptr || w.us < one.best->us)) one.best = &w;
        }
        if (one.chosen == nullptr || one.best == nullptr) continue;
        one.share = one.best->us / one.chosen->us;
        losses.push_back(one);
    }
    std::ranges::sort(losses, {}, &loss::share);
    for (const loss& l : losses | std::views::take(most)) {
        std::printf("%.2f %s\n", l.share, l.of->what.c_str());
        for (const measured_plan* w : {l.chosen, l.best})
            std::printf("    %8.2f us, predicted %8.2f: %s\n", w->us,
                        1e6 * predicted_s(*w, *l.of, costs), text_of(*w).c_str());
    }
}

ordered_json in_json(const auto& of) {
    ordered_json all;
    plan::each_constant(of, [&](const auto& c, double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", value);
        all[std::string(c.name)] = {
            {"value", std::strtod(text, nullptr)}, {"unit", c.unit}, {"meaning", c.meaning}};
    });
    return all;
}

plan::gpu_costs read_costs(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + " can't be read");
    plan::gpu_costs costs;
    try {
        const ordered_json told = ordered_json::parse(in);
        costs.memory_bytes_per_s = told.at("memory_bytes_per_s");
        costs.host_s = told.at("host_s");
        plan::each_family(costs, [&](const char* name, auto& of) {
            plan::each_constant(of, [&](const auto& c, double& value) {
                value = told.at("families").at(name).at(std::string(c.name)).at("value");
            });
        });
    } catch (const ordered_json::exception& e) {
        throw std::runtime_error(file + " has no costs: " + e.what());
    }
    return costs;
}

void write(const std::string& file, const ordered_json& told) {
    std::ofstream out(file);
    out << told.dump(1) << "\n";
    if (!out.flush()) throw std::runtime_error(file + " can't be written");
}

void write_costs(const std::string& file, const plan::gpu_costs& costs, ordered_json told) {
    plan::each_family(
        costs, [&](const char* name, const auto& of) { told["families"][name] = in_json(of); });
    write(file, told);
}

int run(std::vector<std::string> words) {
    const bool lists = !words.empty() && words.front() == "--worst";
    const bool keeps = !words.empty() && words.front() == "--results";
    const bool judges = lists || keeps || (!words.empty() && words.front() == "--judge");
    if (judges) words.erase(words.begin());
    if (words.size() < (keeps ? 3U : 2U)) {
        std::fprintf(
            stderr,
            "usage: carat_fit [--judge | --worst | --results FILE] COSTS.json CORPUS ...\n");
        return 2;
    }
    const std::string results = keeps ? words.front() : "";
    if (keeps) words.erase(words.begin());
    const std::string file = words.front();
    words.erase(words.begin());
    plan::gpu_costs costs = read_costs(file);
    const std::vector<measured_product> corpus = read_corpus(words);
    std::vector<const measured_product*> given, held_out;
    for (std::size_t i = 0; i < corpus.size(); ++i)
        (judges || i % 4 == 3 ? held_out : given).push_back(&corpus[i]);
    if (held_out.empty()) throw std::runtime_error("the corpus has too few products");
    std::printf("%zu products, of which %zu are judged\n", corpus.size(), held_out.size());
    if (!judges) fit(costs, given);
    if (lists) print_worst(held_out, costs);
    const ordered_json quality_of = report(held_out, costs);
    if (keeps)
        write(results,
              {{"what",
                "share of the fastest plan's speed that the engine's choice reached, over random "
                "products drawn when measured; those predicted to be near the fastest were timed, "
                "the "
                "fastest of them in turns"},
               {"command", "carat_fit_measure SEED SECONDS; carat_fit --results " + results + " " +
                               file + " CORPUS"},
               {"products", corpus.size()},
               {"groups", quality_of}});
    if (!judges)
        write_costs(file, costs,
                    {{"gpu", "NVIDIA H200"},
                     {"memory_bytes_per_s", costs.memory_bytes_per_s},
                     {"host_s", costs.host_s},
                     {"corpus", {{"products", corpus.size()}, {"held_out", held_out.size()}}},
                     {"held_out", quality_of}});
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        return run({words + 1, words + count});
    } catch (const std::exception& e) {
        std::fprintf(stderr, "carat_fit: %s\n", e.what());
        return 1;
    }
}
