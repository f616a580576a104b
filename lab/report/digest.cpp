// Writes the digest from the same functions that the Markdown is written from.
#include "lab/report/digest.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lab/report/age.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/standing.hpp"
#include "lab/report/verdict.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

// The page finds results and comparisons by their places in the file.
template <class Entry>
std::size_t place_of(const Entry* of, const std::vector<Entry>& all) {
    return static_cast<std::size_t>(of - all.data());
}

json to_json(const results::document& doc, const measured_case& here) {
    json ranked = json::array(), refused = json::array();
    json rows = json::array();
    for (const ranked_row& row : rows_of(here)) {
        ranked.push_back(place_of(row.of, doc.results));
        rows.push_back({{"rank", row.rank},
                        {"percent", row.percent},
                        {"times", row.times},
                        {"group", row.group}});
    }
    for (const auto& [of, why] : here.refused)
        refused.push_back({{"result", place_of(of, doc.results)}, {"why", why}});
    json written{{"label", here.label()},
                 {"shape", here.size()},
                 {"call", here.call},
                 {"dtype", here.dtype},
                 {"m", here.m},
                 {"n", here.n},
                 {"k", here.k},
                 {"threads", here.threads},
                 {"ranked", std::move(ranked)},
                 {"rows", std::move(rows)},
                 {"refused", std::move(refused)},
                 {"verdict", joined(verdict(doc, here))},
                 {"on_gpu", here.on_gpu}};
    if (!here.busy.empty()) written["busy"] = here.busy;
    if (here.comparison != nullptr)
        written["comparison"] = place_of(here.comparison, doc.comparisons);
    return written;
}

json to_json(const table& t) {
    json columns = json::array();
    for (const auto& [head, side] : t.columns)
        columns.push_back({{"head", head}, {"is_number", side == align::right}});
    return {
        {"title", t.title}, {"columns", std::move(columns)}, {"rows", t.rows}, {"note", t.note}};
}

json view(const results::document& doc, const std::string& key, const std::string& name) {
    const auto cases = group(doc, key);
    json written = json::array();
    for (const auto& here : cases) written.push_back(to_json(doc, here));
    return {{"key", key},
            {"name", name},
            {"headline", headline(doc, cases)},
            {"opens_at", largest(cases).value_or(0)},
            {"standing", to_json(standing_table(cases))},
            {"cases", std::move(written)}};
}

bool any(const results::document& doc, const std::string& key) {
    return std::ranges::any_of(
        doc.results, [&](const results::result& of) { return of.available && shows(key, of); });
}

}  // namespace

json digest(const results::document& doc) {
    json views = json::array();
    views.push_back(view(doc, "all", "CPU and GPU"));
    if (any(doc, "cpu") && any(doc, "gpu")) {
        views.push_back(view(doc, "cpu", "CPU only"));
        views.push_back(view(doc, "gpu", "GPU only"));
    }
    json told = json::array();
    for (const auto& [level, text] : warnings(doc)) {
        told.push_back({{"level", level}, {"text", text}});
    }
    json missing = json::array();
    for (const auto& [implementation, reason, results] : absences(doc)) {
        missing.push_back(
            {{"implementation", implementation}, {"reason", reason}, {"results", results}});
    }
    json old = json::object();  // the year of what is marked, by name
    for (const results::result& of : doc.results)
        if (const std::string month = old_release(of, doc.date); !month.empty())
            old[of.implementation] = month.substr(0, 4);
    return {{"views", std::move(views)},
            {"old", std::move(old)},
            {"warnings", std::move(told)},
            {"crossovers", crossover_sentences(doc)},
            {"unavailable", std::move(missing)}};
}

std::vector<absence> absences(const results::document& doc) {
    std::vector<absence> found;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const results::result& of : doc.results) {
        if (of.available) continue;
        const std::string reason = of.reason.empty() ? "no reason given" : of.reason;
        const auto [at, is_new] = known.try_emplace({of.implementation, reason}, found.size());
        if (is_new) found.push_back({of.implementation, reason, 0});
        ++found[at->second].results;
    }
    return found;
}

}  // namespace carat::report
