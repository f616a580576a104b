// Writes the digest from the same functions that the Markdown is written from.
#include "lab/report/digest.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lab/report/age.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/verdict.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

json to_json(const json& doc, const measured_case& here) {
    json refused = json::array();
    for (const auto& result : here.refused) {
        refused.push_back({{"result", result.result}, {"why", result.why}});
    }
    json written{{"label", here.label()},
                 {"shape", here.size()},
                 {"call", here.call},
                 {"dtype", here.dtype},
                 {"m", here.m},
                 {"n", here.n},
                 {"k", here.k},
                 {"threads", here.threads},
                 {"ranked", here.ranked},
                 {"refused", refused},
                 {"verdict", joined(verdict(doc, here))}};
    if (!here.busy.empty()) written["busy"] = here.busy;
    json rooflines = json::object();
    for (const std::size_t i : here.ranked) {
        const json& result = doc["results"][i];
        if (const double gflops = roofline_of(doc, here, result); gflops > 0)
            rooflines[result["device"] == "cpu" ? "cpu" : "gpu"] = gflops;
    }
    written["on_gpu"] = here.on_gpu;
    written["rooflines"] = std::move(rooflines);
    if (here.comparison != nullptr) {
        written["comparison"] = here.comparison - &doc["comparisons"].front();
    }
    return written;
}

json view(const json& doc, const std::string& key, const std::string& name) {
    const auto cases = group(doc, key);
    json written = json::array();
    for (const auto& here : cases) written.push_back(to_json(doc, here));
    return {{"key", key},
            {"name", name},
            {"headline", headline(doc, cases)},
            {"opens_at", largest(cases).value_or(0)},
            {"cases", std::move(written)}};
}

bool any(const json& doc, const std::string& key) {
    return std::any_of(doc["results"].begin(), doc["results"].end(), [&](const json& result) {
        return result["available"].get<bool>() && shows(key, result);
    });
}

}  // namespace

json digest(const json& doc) {
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
    const auto date = field_or<std::string>(doc, "date", "");
    for (const auto& result : doc["results"])
        if (const std::string month = old_release(result, date); !month.empty())
            old[result["implementation"].get<std::string>()] = month.substr(0, 4);
    return {{"views", std::move(views)},
            {"old", std::move(old)},
            {"warnings", std::move(told)},
            {"crossovers", crossover_sentences(doc)},
            {"unavailable", std::move(missing)}};
}

std::vector<absence> absences(const json& doc) {
    std::vector<absence> found;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const auto& result : doc["results"]) {
        if (result["available"].get<bool>()) continue;
        std::string reason = field_or<std::string>(result, "reason", "no reason given");
        const std::string implementation = result["implementation"];
        const auto [at, is_new] = known.try_emplace({implementation, reason}, found.size());
        if (is_new) found.push_back({implementation, std::move(reason), 0});
        ++found[at->second].results;
    }
    return found;
}

}  // namespace carat::report
