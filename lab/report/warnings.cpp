// One function per concern; each adds at most one line, with the remedy where there is one.
#include "lab/report/warnings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

#include "lab/report/age.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;
using list = std::vector<warning>;

std::string name(const json& result) {
    return fmt::format("`{}`", unquoted(result["implementation"]));
}

bool measured(const json& result) {
    return result["available"].get<bool>() && result["verified"].get<bool>() &&
           !result["trials_s"].empty();
}

bool lacks(const json& result, const char* field) {
    const auto found = result.find(field);
    return found == result.end() || found->is_null();
}

bool has_library(const json& result) {
    const auto found = result.find("library");
    return found != result.end() && found->is_object();
}

// The results that satisfy a test: how many, and the names without repeats. Files hold many, so a
// test asks first what is rare.
struct selection {
    std::size_t results = 0;
    std::vector<std::string> names;
};

selection select(const json& doc, const std::function<bool(const json&)>& test) {
    selection found;
    for (const auto& result : doc["results"]) {
        if (!test(result)) continue;
        ++found.results;
        if (std::find(found.names.begin(), found.names.end(), name(result)) == found.names.end()) {
            found.names.push_back(name(result));
        }
    }
    return found;
}

void failures(const json& doc, list& said) {
    const auto wrong = select(doc, [](const json& result) {
        return result["available"].get<bool>() && !result["verified"].get<bool>();
    });
    if (wrong.results > 0) {
        said.push_back(
            {"error", fmt::format("{} not verified, so without a figure: {}.",
                                  counted(wrong.results, "result"), listed(wrong.names))});
    }
    const auto beyond = select(doc, [](const json& result) {
        return field_or(result, "above_peak", false) && measured(result);
    });
    if (beyond.results > 0) {
        said.push_back(
            {"error", fmt::format("{} faster than the measured limit of the hardware, so refused "
                                  "as impossible: {}. Wrong work, wrong time, or a peak "
                                  "measured in a slower moment.",
                                  counted(beyond.results, "result"), listed(beyond.names))});
    }
}

void unfinished(const json& doc, list& said) {
    if (!field_or(doc, "complete", true)) {
        said.push_back({"warning",
                        "The run was interrupted. Every result shown is valid; go on with "
                        "`carat bench --resume`."});
    }
    const auto few = select(doc, [](const json& result) {
        return field_or(result, "few_trials", false) && measured(result);
    });
    if (few.results > 0) {
        said.push_back({"warning", fmt::format("{} with fewer than 20 trials, whose intervals are "
                                               "rough: {}. Give `--trials 30` or a longer budget.",
                                               counted(few.results, "result"), listed(few.names))});
    }
    const auto alone = select(
        doc, [](const json& result) { return lacks(result, "ci95_gflops") && measured(result); });
    if (alone.results > 0) {
        said.push_back(
            {"warning",
             fmt::format("{} from fewer than three processes, so without an interval: {}. "
                         "The range of the trials stands in its place; another start may "
                         "differ by more.",
                         counted(alone.results, "result"), listed(alone.names))});
    }
    const auto cut = select(doc, [](const json& result) {
        return field_or<std::string>(result, "stop", "") == "budget" && measured(result);
    });
    if (cut.results > 0) {
        said.push_back(
            {"warning", fmt::format("{} stopped by the time budget before the interval was as "
                                    "narrow as asked: {}.",
                                    counted(cut.results, "result"), listed(cut.names))});
    }
}

// Whether every case and every result on the CPU tells the same number.
bool all_use_as_many_threads(const json& doc) {
    std::set<std::int64_t> counts;
    for (const auto& comparison : doc["comparisons"])
        counts.insert(comparison["threads"].get<std::int64_t>());
    for (const auto& result : doc["results"]) {
        counts.insert(result["threads"].get<std::int64_t>());
        if (result["device"] == "cpu") counts.insert(threads_used(result));
        if (counts.size() > 1) return false;
    }
    return true;
}

// A serial step of a ladder beside threaded ones is the lesson, and an engine that leaves threads
// idle on a small problem is its plan; a vendor that does is worth a second look.
void unequal_threads(const json& doc, list& said) {
    if (all_use_as_many_threads(doc)) return;  // groups need not be formed for nothing
    std::set<std::string> names;
    bool vendor = false;
    for (const auto& here : group(doc)) {
        for (const std::size_t i : here.ranked) {
            const json& result = doc["results"][i];
            if (result["device"] != "cpu" || threads_used(result) == here.threads) continue;
            names.insert(name(result));
            vendor = vendor || result.contains("library");
        }
    }
    if (names.empty()) return;
    said.push_back({vendor ? "warning" : "note",
                    fmt::format("Unequal thread counts stand side by side: {} used another number "
                                "of threads than the case allows; the table gives it.",
                                listed({names.begin(), names.end()}))});
}

bool busy(const json& result) {
    return !field_or<std::string>(result, "busy", "").empty() && measured(result);
}

double most_other_work(const json& doc, const std::function<bool(const json&)>& among) {
    double most = 0;
    for (const auto& result : doc["results"])
        if (among(result)) most = std::max(most, field_or(result, "background_cpu_share", 0.0));
    return most;
}

void other_work(const json& doc, list& said) {
    if (const auto without = select(doc, busy); without.results > 0) {
        const auto found = std::ranges::find_if(doc["results"], busy);
        said.push_back(
            {"warning", fmt::format("No verdict rests on {} of a busy machine: {}. In "
                                    "the first, {}.",
                                    counted(without.results, "result"), listed(without.names),
                                    unquoted((*found)["busy"].get<std::string>()))});
    }
    const auto beside_others = [](const json& result) {
        return field_or(result, "background_cpu_share", 0.0) > tolerable_other_work &&
               measured(result) && !busy(result);
    };
    const auto disturbed = select(doc, beside_others);
    if (disturbed.results == 0) return;
    said.push_back(
        {"warning", fmt::format("Other work took up to {:.0f} % of the processors' time during "
                                "the trials of {}: {}. Products on several threads suffer "
                                "most, so ranks may be wrong; measure again without it.",
                                100 * most_other_work(doc, beside_others),
                                counted(disturbed.results, "result"), listed(disturbed.names))});
}

void trial_quality(const json& doc, list& said) {
    constexpr double noisy = 0.1;  // standard deviation over mean
    const auto spread = select(doc, [](const json& result) {
        return field_or(result, "sd_s", 0.0) > noisy * field_or(result, "mean_s", 1e300) &&
               measured(result);
    });
    if (spread.results > 0) {
        said.push_back(
            {"warning", fmt::format("Trials spread by more than 10 % in {}: {}. "
                                    "Something else was using the machine.",
                                    counted(spread.results, "result"), listed(spread.names))});
    }
}

// Beyond what independent roundings give, in the arithmetic that a result claims: docs/adr/0115.
void accuracy(const json& doc, list& said) {
    constexpr double lambda = 10;
    const auto off = select(doc, [](const json& result) {
        return field_or(result, "error_over_sqrt_k", 0.0) > lambda && measured(result);
    });
    if (off.results == 0) return;
    double most = 0;
    for (const auto& result : doc["results"])
        most = std::max(most, field_or(result, "error_over_sqrt_k", 0.0));
    said.push_back(
        {"warning",
         fmt::format("Errors up to {:.0f} times sqrt(k) roundings in {}: {}. Sums in the "
                     "precision claimed that round to nearest stay below {:.0f}.",
                     most, counted(off.results, "result"), listed(off.names), lambda)});
}

// "OpenBLAS chose SkylakeX", once for each library that tells.
std::vector<std::string> kernels_chosen(const json& doc) {
    std::vector<std::string> chosen;
    for (const auto& result : doc["results"]) {
        if (!has_library(result) || !measured(result)) continue;
        const auto kernel = field_or<std::string>(result["library"], "kernel", "");
        const std::string text = fmt::format("{} chose {}", name(result), unquoted(kernel));
        if (!kernel.empty() && std::find(chosen.begin(), chosen.end(), text) == chosen.end()) {
            chosen.push_back(text);
        }
    }
    return chosen;
}

void virtual_machine(const json& doc, list& said) {
    const auto hypervisor = field_or<std::string>(doc["machine"], "hypervisor", "");
    if (hypervisor.empty()) return;
    const auto chosen = kernels_chosen(doc);
    said.push_back(
        {"warning", fmt::format("This is a virtual machine ({}): the processor it names may not be "
                                "the real one, and a vendor that trusts the name may pick a lesser "
                                "kernel. {}",
                                unquoted(hypervisor),
                                chosen.empty() ? "No library says which kernel it chose."
                                               : listed(chosen, 8) + ".")});
}

void vendor_notes(const json& doc, list& said) {
    std::set<std::string> told;
    for (const auto& result : doc["results"]) {
        if (!has_library(result) || !measured(result)) continue;
        const auto note = field_or<std::string>(result["library"], "note", "");
        const std::string text = fmt::format("{}: {}", name(result), unquoted(note));
        if (!note.empty() && told.insert(text).second) said.push_back({"note", text});
    }
}

// In the words of the first, where several have one.
void remarks(const json& doc, list& said) {
    const auto has_one = [](const json& result) {
        return !field_or<std::string>(result, "remark", "").empty() && measured(result);
    };
    const auto found = select(doc, has_one);
    if (found.results == 0) return;
    const auto first = std::ranges::find_if(doc["results"], has_one);
    said.push_back(
        {"note",
         fmt::format("Of {}, in the first: {}: {}.", counted(found.results, "result"),
                     unquoted((*first)["remark"].get<std::string>()), listed(found.names))});
}

void aged(const json& doc, list& said) {
    const auto date = field_or<std::string>(doc, "date", "");
    std::set<std::string> told;
    for (const auto& result : doc["results"]) {
        const std::string month = old_release(result, date);
        if (month.empty() || !measured(result)) continue;
        const json& library = result["library"];
        const std::string text =
            fmt::format("{}: {}.", name(result),
                        unquoted(age_note(library["name"].get<std::string>(),
                                          library["version"].get<std::string>(), month)));
        if (told.insert(text).second) said.push_back({"warning", text});
    }
}

void conditions(const json& doc, list& said) {
    const json peaks = doc["machine"].value("peaks", json::object());
    if (peaks.is_null() || !peaks.contains("compute") || peaks["compute"].empty()) {
        said.push_back({"note",
                        "The machine's peaks were not measured: there is no roofline, "
                        "and an impossible figure can't be caught."});
    }
    if (doc.contains("build") &&
        field_or<std::string>(doc["build"], "type", "Release") == "Debug") {
        said.push_back({"warning",
                        "carat was built for debugging: its own implementations are "
                        "far slower than in a release build."});
    }
}

}  // namespace

std::vector<warning> warnings(const json& doc) {
    list said;
    for (const auto concern : {failures, unfinished, virtual_machine, unequal_threads, other_work,
                               trial_quality, accuracy, aged, remarks, conditions, vendor_notes}) {
        concern(doc, said);
    }
    const auto weight = [](const warning& w) {
        return w.level == "error" ? 0 : w.level == "warning" ? 1 : 2;
    };
    std::stable_sort(said.begin(), said.end(),
                     [&](const warning& a, const warning& b) { return weight(a) < weight(b); });
    return said;
}

}  // namespace carat::report
