// Writes the digest from the same functions that the Markdown is written from.
#include "lab/report/digest.hpp"

#include <algorithm>
#include <utility>

#include "lab/report/cases.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/verdict.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

json to_json(const json& results, const measured_case& here) {
    json refused = json::array();
    for (const auto& cell : here.refused) {
        refused.push_back({{"cell", cell.cell}, {"why", cell.why}});
    }
    json written{{"label", here.label()},
                 {"shape", shape(here.m, here.n, here.k)},
                 {"dtype", here.dtype},
                 {"m", here.m},
                 {"n", here.n},
                 {"k", here.k},
                 {"threads", here.threads},
                 {"ranked", here.ranked},
                 {"refused", refused},
                 {"verdict", joined(verdict(results, here))}};
    if (!here.busy.empty()) written["busy"] = here.busy;
    if (here.comparison != nullptr) {
        written["comparison"] = here.comparison - &results["comparisons"].front();
    }
    return written;
}

json view(const json& results, const std::string& key, const std::string& name) {
    const auto cases = group(results, key);
    json written = json::array();
    for (const auto& here : cases) written.push_back(to_json(results, here));
    return {{"key", key},
            {"name", name},
            {"headline", headline(results, cases)},
            {"opens_at", largest(cases).value_or(0)},
            {"cases", std::move(written)}};
}

bool any(const json& results, const std::string& key) {
    return std::any_of(results["cells"].begin(), results["cells"].end(), [&](const json& cell) {
        return cell["available"].get<bool>() && shows(key, cell);
    });
}

}  // namespace

json digest(const json& results) {
    json views = json::array();
    views.push_back(view(results, "all", "CPU and GPU"));
    if (any(results, "cpu") && any(results, "gpu")) {
        views.push_back(view(results, "cpu", "CPU only"));
        views.push_back(view(results, "gpu", "GPU only"));
    }
    json told = json::array();
    for (const auto& [level, text] : warnings(results)) {
        told.push_back({{"level", level}, {"text", text}});
    }
    json missing = json::array();
    for (const auto& [implementation, reason, cells] : absences(results)) {
        missing.push_back(
            {{"implementation", implementation}, {"reason", reason}, {"cells", cells}});
    }
    return {{"views", std::move(views)},
            {"warnings", std::move(told)},
            {"crossovers", crossover_sentences(results)},
            {"unavailable", std::move(missing)}};
}

std::vector<absence> absences(const json& results) {
    std::vector<absence> found;
    for (const auto& cell : results["cells"]) {
        if (cell["available"].get<bool>()) continue;
        const auto reason = field_or<std::string>(cell, "reason", "no reason given");
        const auto known = std::find_if(found.begin(), found.end(), [&](const absence& a) {
            return a.implementation == cell["implementation"].get<std::string>() &&
                   a.reason == reason;
        });
        if (known != found.end()) {
            ++known->cells;
        } else {
            found.push_back({cell["implementation"], reason, 1});
        }
    }
    return found;
}

}  // namespace carat::report
