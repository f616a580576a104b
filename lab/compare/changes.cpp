#include "lab/compare/changes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "lab/compare/effort.hpp"
#include "lab/results/surroundings.hpp"
#include "lab/statistics/drift.hpp"

namespace carat::comparing {

namespace {

// The results of a file by case, the first where it has two.
class index {
  public:
    explicit index(const results::document& doc) {
        for (const results::result& c : doc.results) cases_.try_emplace(key(c), &c);
    }
    [[nodiscard]] const results::result* find(const results::result& like) const {
        const auto found = cases_.find(key(like));
        return found == cases_.end() ? nullptr : found->second;
    }

  private:
    static std::string key(const results::result& c) {
        return c.implementation + " " + c.layout + " " + c.id();
    }
    std::map<std::string, const results::result*> cases_;
};

// Verdicts that no interval bears.
void set_apart(change& c) {
    if (c.after == nullptr) {
        c.verdict = "missing";
        c.reason = "the later file doesn't have it";
    } else if (!c.after->has_figure()) {
        c.verdict = "lost";
        c.reason = c.after->reason.empty() ? "interrupted before it was timed" : c.after->reason;
    } else if (!c.before->busy.empty() || !c.after->busy.empty()) {
        c.verdict = "busy";
        c.reason = c.before->busy.empty() ? c.after->busy : c.before->busy;
    }
}

std::string_view opposite(statistics::verdict v) {
    if (v == statistics::verdict::faster) return to_string(statistics::verdict::slower);
    if (v == statistics::verdict::slower) return to_string(statistics::verdict::faster);
    return to_string(v);
}

bool is_guest(const results::document& doc) {
    return !results::surroundings_of(doc).hypervisor.empty();
}

// What two sessions' figures differ by of themselves. From few cases it can't be told: guests,
// which share their processors, then have the most.
double drift_between(const std::vector<change*>& judged,
                     const std::vector<statistics::estimate>& differences, bool guests) {
    std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>> cases;
    for (const change* c : judged) {
        const results::result& of = *c->before;
        cases.emplace(of.dtype + of.layout + rows::describe(of.asked), of.m, of.n, of.k);
    }
    if (cases.size() >= statistics::fewest_drifting) return statistics::drift_of(differences);
    const bool same = std::ranges::all_of(differences, [](const auto& d) { return d.value == 0; });
    const bool on_cpu =
        std::ranges::any_of(judged, [](const change* c) { return c->before->on_cpu(); });
    return guests && on_cpu && !same ? statistics::most_drift : 0;
}

// Ratios are of times, before over after, so of throughput, after over before. Returns the drift.
double judge_rows(std::vector<change>& rows, const analysis_options& how, rounds in, bool guests) {
    const auto difference =
        in == rounds::common ? statistics::paired_difference : statistics::unpaired_difference;
    std::vector<change*> judged;
    std::vector<statistics::estimate> differences;
    for (change& c : rows) {
        if (!c.verdict.empty()) continue;
        judged.push_back(&c);
        differences.push_back(difference(processes_of(*c.before), processes_of(*c.after)));
    }
    const double drift = in == rounds::common ? 0 : drift_between(judged, differences, guests);
    for (statistics::estimate& d : differences) d = statistics::across_sessions(d, drift);
    const std::vector<statistics::judged> found = statistics::judge_family(
        differences, {.alpha = how.alpha, .equivalence_margin = how.equivalence_margin});
    for (std::size_t i = 0; i < judged.size(); ++i) {
        change& c = *judged[i];
        c.ratio = found[i].ratio;
        c.p = found[i].p;
        c.confidence = found[i].confidence;
        c.verdict = opposite(found[i].outcome);
        if (differences[i].bounded()) {
            c.ci95_ratio = {found[i].ci.lower, found[i].ci.upper};
            continue;
        }
        c.verdict = "one process";
        c.reason = fmt::format("no interval from fewer than {} processes: measure both so",
                               statistics::fewest_processes);
    }
    return drift;
}

// What each file records that figures depend on, by the words it is told in.
std::map<std::string, std::string> conditions_of(const results::document& doc) {
    std::map<std::string, std::string> told;
    for (const char* key : {"cpu_model", "cores", "isa_in_use", "kernel"})
        told[key] = results::recorded(doc.machine, key);
    for (const char* key : {"compiler", "flags"}) told[key] = results::recorded(doc.build, key);
    std::size_t i = 0;
    for (const results::gpu_seen& gpu : results::surroundings_of(doc).gpus) {
        const std::string which = fmt::format("gpu {} ", i++);
        told[which + "name"] = gpu.name;
        for (const auto& [key, version] : gpu.versions) told[which + key] = version;
    }
    for (const results::result& c : doc.results) {
        if (c.vendor.name.empty()) continue;
        told[c.vendor.name + " version"] = c.vendor.version;
        if (!c.vendor.kernel.empty()) told[c.vendor.name + " kernel"] = c.vendor.kernel;
    }
    return told;
}

std::vector<std::string> differences(const results::document& before,
                                     const results::document& after) {
    std::vector<std::string> notes;
    const auto was = conditions_of(before), now = conditions_of(after);
    std::set<std::string> keys;
    for (const auto* side : {&was, &now})
        for (const auto& [key, value] : *side) keys.insert(key);
    for (const std::string& key : keys) {
        const auto a = was.find(key), b = now.find(key);
        if (a == was.end() || b == now.end())
            notes.push_back(fmt::format("{} is only in the {} file: {}", key,
                                        a == was.end() ? "later" : "earlier",
                                        a == was.end() ? b->second : a->second));
        else if (a->second != b->second)
            notes.push_back(
                fmt::format("{} was {}, now {}: the change may be its", key, a->second, b->second));
    }
    const auto set_otherwise = [&](const char* key) {
        return results::recorded(before.settings, key) != results::recorded(after.settings, key);
    };
    if (set_otherwise("distribution")) notes.emplace_back("the data were drawn differently");
    if (set_otherwise("inputs"))
        notes.emplace_back("inputs were rotated in one and hot in the other: caches differ");
    return notes;
}

void fail_on(changes& all, const results::document& before, const results::document& after) {
    const auto fail = [&](std::size_t count, const char* what) {
        if (count > 0)
            all.failures.push_back(fmt::format("{} case{} {}", count, count == 1 ? "" : "s", what));
    };
    fail(all.count("slower"), "slower");
    fail(all.count("lost"), "without a figure any more");
    fail(all.count("missing"), "missing in the later file");
    if (!before.complete) all.failures.emplace_back("the earlier file is unfinished");
    if (!after.complete) all.failures.emplace_back("the later file is unfinished");
    const std::size_t judged =
        all.count("faster") + all.count("slower") + all.count("tie") + all.count("unclear");
    if (judged > 0) return;
    const auto mute = std::ranges::find_if(all.rows, [](const change& c) {
        return c.verdict == "busy" || c.verdict == "one process";
    });
    if (mute == all.rows.end()) return;
    all.failures.push_back(mute->verdict == "busy"
                               ? "no case has a verdict, the machine was busy: " + mute->reason
                               : "no case has a verdict: " + mute->reason);
}

}  // namespace

std::size_t changes::count(std::string_view verdict) const {
    return static_cast<std::size_t>(std::ranges::count(rows, verdict, &change::verdict));
}

changes compare_documents(const results::document& before, const results::document& after,
                          const analysis_options& how, rounds in) {
    changes all;
    const index earlier(before), later(after);
    for (const results::result& c : before.results)
        if (c.has_figure()) all.rows.push_back({.before = &c, .after = later.find(c)});
    std::ranges::for_each(all.rows, set_apart);
    const double drift = judge_rows(all.rows, how, in, is_guest(before) || is_guest(after));
    for (const results::result& c : after.results) {
        if (!c.has_figure()) continue;
        const results::result* old = earlier.find(c);
        if (old == nullptr || !old->has_figure()) ++all.only_after;
    }
    std::vector<double> ratios;
    for (const change& c : all.rows)
        if (c.ratio > 0) ratios.push_back(c.ratio);
    if (!ratios.empty()) all.over_cases = statistics::ratio_over_cases(ratios);
    all.notes = differences(before, after);
    if (drift > how.equivalence_margin / 2)
        all.notes.push_back(
            fmt::format("intervals allow for {:.1f} % by which sessions on this machine differ of "
                        "themselves: compare --ab measures both side by side",
                        100 * drift));
    fail_on(all, before, after);
    return all;
}

nlohmann::json to_json(const change& c) {
    const results::result& of = *c.before;
    nlohmann::json out = {{"implementation", of.implementation},
                          {"device", of.device},
                          {"dtype", of.dtype},
                          {"m", of.m},
                          {"n", of.n},
                          {"k", of.k},
                          {"layout", of.layout},
                          {"call", rows::describe(of.asked)},
                          {"threads", of.threads},
                          {"before_gflops", of.median_gflops},
                          {"verdict", c.verdict}};
    if (!c.reason.empty()) out["reason"] = c.reason;
    if (c.ratio == 0) return out;
    out["after_gflops"] = c.after->median_gflops;
    out["ratio"] = c.ratio;
    out["p"] = c.p;
    out["confidence"] = c.confidence;
    out["ci95_ratio"] = nullptr;
    if (results::bounded(c.ci95_ratio)) out["ci95_ratio"] = c.ci95_ratio;
    return out;
}

nlohmann::json to_json(const std::optional<statistics::set_ratio>& set) {
    if (!set) return nullptr;
    nlohmann::json out = {
        {"cases", set->cases}, {"ratio", set->geometric_mean}, {"ci95_ratio", nullptr}};
    if (std::isfinite(set->ci.upper)) out["ci95_ratio"] = {set->ci.lower, set->ci.upper};
    return out;
}

}  // namespace carat::comparing
