#include "lab/tune/tune.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <carat/error.hpp>

#include "files/read.hpp"
#include "lab/files/document.hpp"
#include "tuning/tuned.hpp"

namespace carat::tune {

namespace {

using nlohmann::json;

// All combinations of the values worth trying.
std::vector<core::tunable_values> combinations(const rows::implementation& entry) {
    std::vector<core::tunable_values> all = {{}};
    for (const core::tunable& t : entry.tunables) {
        if (t.worth_trying.empty()) continue;
        std::vector<core::tunable_values> longer;
        for (const core::tunable_values& one : all)
            for (const std::int64_t value : t.worth_trying) {
                longer.push_back(one);
                longer.back()[std::string(t.name)] = value;
            }
        all = std::move(longer);
    }
    return all;
}

bool is_same_case(const json& x, const json& y) {
    return std::ranges::all_of(
        std::array{"device", "implementation", "types", "layout", "m", "n", "k"},
        [&](const char* field) { return x.at(field) == y.at(field); });
}

json times_of(const results::result& c) {
    return {{"median_s", c.median_s},
            {"ci95_s", results::bounded(c.ci95_median_s) ? json(c.ci95_median_s) : json()},
            {"trials", c.trials_s.size()}};
}

}  // namespace

std::string reason_against(const rows::implementation& entry) {
    if (entry.where == rows::device::cpu)
        return std::string(entry.name) +
               " takes its blocks from the sizes of the caches and looks into no table: tune is "
               "for "
               "cuda.engine and its kin";
    const bool tunes = std::ranges::any_of(
        entry.tunables, [](const core::tunable& t) { return !t.worth_trying.empty(); });
    return tunes ? "" : std::string(entry.name) + " has nothing to choose: take cuda.engine";
}

std::vector<request::selection> candidates(const rows::implementation& entry,
                                           const core::problem& p) {
    std::vector<request::selection> chosen = {{&entry, {}, true}};
    std::set<std::string> plans;
    for (const core::tunable_values& values : combinations(entry)) {
        const core::settings s{1, values};
        if (!rows::reason_against(entry, p, s).empty()) continue;
        // An engine given an unavailable value takes the nearest one.
        const std::string plan = entry.prepare(p, s)->planned().why;
        if (plan.empty() || plans.insert(plan).second) chosen.push_back({&entry, values, true});
    }
    return chosen;
}

finding judge(const request::case_key& key, const std::vector<request::selection>& chosen,
              const std::vector<results::result>& results, const results::comparison& compared) {
    finding found;
    found.key = key;
    found.implementation = chosen.front().entry->name;
    for (const request::selection& s : chosen) {
        const std::string label = request::label_of(s, chosen);
        const auto c = std::ranges::find(results, label, &results::result::implementation);
        if (c == results.end() || !c->has_figure()) continue;
        if (&s == &chosen.front()) found.model = &*c;
        if (found.best != nullptr && found.best->median_s <= c->median_s) continue;
        found.best = &*c;
        found.tunables = s.tunables;
    }
    if (found.model == nullptr)
        throw error(error_code::invalid_argument,
                    describe(key) + ": the model's choice has no figure; see what carat run says");
    const results::pair* p = compared.find(found.best->implementation, found.model->implementation);
    found.better = found.best->busy.empty() && p != nullptr &&
                   p->verdict == (p->a == found.best->implementation ? "faster" : "slower");
    return found;
}

void take(json& table, const finding& found, const json& where_from) {
    const core::problem p = request::problem_of(found.key);
    json one = where_from;
    one["implementation"] = found.implementation;
    one["types"] = tuning::types_of(p);
    one["layout"] = to_string(found.key.stored);
    one["m"] = p.m;
    one["n"] = p.n;
    one["k"] = p.k;
    json& cases = table["cases"];
    std::erase_if(cases.get_ref<json::array_t&>(),
                  [&](const json& old) { return is_same_case(old, one); });
    if (!found.better) return;
    one["tunables"] = found.tunables;
    one["tuned"] = times_of(*found.best);
    one["model"] = times_of(*found.model);
    cases.push_back(one);
}

json load_table(const std::string& file) {
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) return {{"schema", 1}, {"cases", json::array()}};
    const std::string text = files::read(file);
    (void)tuning::tuned_table(text, file);
    return files::parse(text, file);
}

std::string usual_file() {
    return tuning::tuned_file();
}

void forget_tables() {
    setenv("CARAT_TUNED", "none", 1);
}

}  // namespace carat::tune
