// One function per concern; each adds at most one line, with the remedy where there is one.
#include "lab/report/warnings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

#include "lab/report/cases.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;
using list = std::vector<warning>;

std::string name(const json& cell) {
    return fmt::format("`{}`", unquoted(cell["implementation"]));
}

bool measured(const json& cell) {
    return cell["available"].get<bool>() && cell["verified"].get<bool>() &&
           !cell["trials_s"].empty();
}

// The cells that satisfy a test: how many, and the names without repeats.
struct selection {
    std::size_t cells = 0;
    std::vector<std::string> names;
};

selection select(const json& results, const std::function<bool(const json&)>& test) {
    selection found;
    for (const auto& cell : results["cells"]) {
        if (!test(cell)) continue;
        ++found.cells;
        if (std::find(found.names.begin(), found.names.end(), name(cell)) == found.names.end()) {
            found.names.push_back(name(cell));
        }
    }
    return found;
}

void failures(const json& results, list& said) {
    const auto wrong = select(results, [](const json& cell) {
        return cell["available"].get<bool>() && !cell["verified"].get<bool>();
    });
    if (wrong.cells > 0) {
        said.push_back({"error", fmt::format("{} not verified, so without a figure: {}.",
                                             counted(wrong.cells, "cell"), listed(wrong.names))});
    }
    const auto beyond = select(results, [](const json& cell) {
        return measured(cell) && field_or(cell, "impossible", false);
    });
    if (beyond.cells > 0) {
        said.push_back(
            {"error", fmt::format("{} faster than the measured limit of the hardware, so refused "
                                  "as impossible: {}. Wrong work, wrong time, or a peak "
                                  "measured in a slower moment.",
                                  counted(beyond.cells, "cell"), listed(beyond.names))});
    }
}

void unfinished(const json& results, list& said) {
    if (!field_or(results, "complete", true)) {
        said.push_back({"warning",
                        "The run was interrupted. Every cell shown is valid; go on with "
                        "`carat bench --resume`."});
    }
    const auto few = select(results, [](const json& cell) {
        return measured(cell) && field_or(cell, "few_trials", false);
    });
    if (few.cells > 0) {
        said.push_back({"warning", fmt::format("{} with fewer than 20 trials, whose intervals are "
                                               "rough: {}. Give `--trials 30` or a longer budget.",
                                               counted(few.cells, "cell"), listed(few.names))});
    }
    const auto cut = select(results, [](const json& cell) {
        return measured(cell) && field_or<std::string>(cell, "stop", "") == "budget";
    });
    if (cut.cells > 0) {
        said.push_back(
            {"warning", fmt::format("{} stopped by the time budget before the interval was as "
                                    "narrow as asked: {}.",
                                    counted(cut.cells, "cell"), listed(cut.names))});
    }
}

// A serial step of a ladder beside threaded ones is the lesson, and an engine that leaves threads
// idle on a small problem is its plan; a vendor that does is worth a second look.
void unequal_threads(const json& results, list& said) {
    std::set<std::string> names;
    bool vendor = false;
    for (const auto& here : group(results)) {
        for (const std::size_t i : here.ranked) {
            const json& cell = results["cells"][i];
            if (cell["device"] != "cpu" || threads_used(cell) == here.threads) continue;
            names.insert(name(cell));
            vendor = vendor || cell.contains("library");
        }
    }
    if (names.empty()) return;
    said.push_back({vendor ? "warning" : "note",
                    fmt::format("Unequal thread counts stand side by side: {} used another number "
                                "of threads than the case allows; the table gives it.",
                                listed({names.begin(), names.end()}))});
}

bool busy(const json& cell) {
    return measured(cell) && !field_or<std::string>(cell, "busy", "").empty();
}

double most_other_work(const json& results, const std::function<bool(const json&)>& among) {
    double most = 0;
    for (const auto& cell : results["cells"])
        if (among(cell)) most = std::max(most, field_or(cell, "other_work", 0.0));
    return most;
}

void other_work(const json& results, list& said) {
    if (const auto without = select(results, busy); without.cells > 0) {
        const auto found = std::ranges::find_if(results["cells"], busy);
        said.push_back(
            {"warning", fmt::format("No verdict rests on {} of a busy machine: {}. In "
                                    "the first, {}.",
                                    counted(without.cells, "cell"), listed(without.names),
                                    unquoted((*found)["busy"].get<std::string>()))});
    }
    const auto beside_others = [](const json& cell) {
        return measured(cell) && !busy(cell) &&
               field_or(cell, "other_work", 0.0) > tolerable_other_work;
    };
    const auto disturbed = select(results, beside_others);
    if (disturbed.cells == 0) return;
    said.push_back(
        {"warning", fmt::format("Other work took up to {:.0f} % of the processors' time during "
                                "the trials of {}: {}. Products on several threads suffer "
                                "most, so ranks may be wrong; measure again without it.",
                                100 * most_other_work(results, beside_others),
                                counted(disturbed.cells, "cell"), listed(disturbed.names))});
}

void trial_quality(const json& results, list& said) {
    const auto dependent = select(results, [](const json& cell) {
        return measured(cell) && field_or<std::string>(cell, "ci_method", "").starts_with("block");
    });
    if (dependent.cells > 0) {
        said.push_back(
            {"note", fmt::format("Successive trials depend on each other in {} ({}); "
                                 "blocks were resampled there, which widens the "
                                 "intervals as it should.",
                                 counted(dependent.cells, "cell"), listed(dependent.names))});
    }
    constexpr double noisy = 0.1;  // standard deviation over mean
    const auto spread = select(results, [](const json& cell) {
        return measured(cell) &&
               field_or(cell, "sd_s", 0.0) > noisy * field_or(cell, "mean_s", 1e300);
    });
    if (spread.cells > 0) {
        said.push_back(
            {"warning", fmt::format("Trials spread by more than 10 % in {}: {}. "
                                    "Something else was using the machine.",
                                    counted(spread.cells, "cell"), listed(spread.names))});
    }
}

// Beyond what independent roundings give, in the arithmetic that a cell claims: docs/adr/0115.
void accuracy(const json& results, list& said) {
    constexpr double lambda = 10;
    const auto off = select(results, [](const json& cell) {
        return measured(cell) && field_or(cell, "error_over_sqrt_k", 0.0) > lambda;
    });
    if (off.cells == 0) return;
    double most = 0;
    for (const auto& cell : results["cells"])
        most = std::max(most, field_or(cell, "error_over_sqrt_k", 0.0));
    said.push_back(
        {"warning",
         fmt::format("Errors up to {:.0f} times sqrt(k) roundings in {}: {}. Sums in the "
                     "precision claimed that round to nearest stay below {:.0f}.",
                     most, counted(off.cells, "cell"), listed(off.names), lambda)});
}

// "OpenBLAS chose SkylakeX", once for each library that tells.
std::vector<std::string> kernels_chosen(const json& results) {
    std::vector<std::string> chosen;
    for (const auto& cell : results["cells"]) {
        if (!measured(cell) || !cell.contains("library") || !cell["library"].is_object()) continue;
        const auto kernel = field_or<std::string>(cell["library"], "kernel", "");
        const std::string text = fmt::format("{} chose {}", name(cell), unquoted(kernel));
        if (!kernel.empty() && std::find(chosen.begin(), chosen.end(), text) == chosen.end()) {
            chosen.push_back(text);
        }
    }
    return chosen;
}

void virtual_machine(const json& results, list& said) {
    const auto hypervisor = field_or<std::string>(results["machine"], "hypervisor", "");
    if (hypervisor.empty()) return;
    const auto chosen = kernels_chosen(results);
    said.push_back(
        {"warning", fmt::format("This is a virtual machine ({}): the processor it names may not be "
                                "the real one, and a vendor that trusts the name may pick a lesser "
                                "kernel. {}",
                                unquoted(hypervisor),
                                chosen.empty() ? "No library says which kernel it chose."
                                               : listed(chosen, 8) + ".")});
}

void vendor_notes(const json& results, list& said) {
    std::set<std::string> told;
    for (const auto& cell : results["cells"]) {
        if (!measured(cell) || !cell.contains("library") || !cell["library"].is_object()) continue;
        const auto note = field_or<std::string>(cell["library"], "note", "");
        const std::string text = fmt::format("{}: {}", name(cell), unquoted(note));
        if (!note.empty() && told.insert(text).second) said.push_back({"note", text});
    }
}

void conditions(const json& results, list& said) {
    const json peaks = results["machine"].value("ceilings", json::object());
    if (peaks.is_null() || !peaks.contains("compute") || peaks["compute"].empty()) {
        said.push_back({"note",
                        "The machine's peaks were not measured: there is no roofline, "
                        "and an impossible figure can't be caught."});
    }
    if (results.contains("build") &&
        field_or<std::string>(results["build"], "type", "Release") == "Debug") {
        said.push_back({"warning",
                        "carat was built for debugging: its own implementations are "
                        "far slower than in a release build."});
    }
}

}  // namespace

std::vector<warning> warnings(const json& results) {
    list said;
    for (const auto concern : {failures, unfinished, virtual_machine, unequal_threads, other_work,
                               trial_quality, accuracy, conditions, vendor_notes}) {
        concern(results, said);
    }
    const auto weight = [](const warning& w) {
        return w.level == "error" ? 0 : w.level == "warning" ? 1 : 2;
    };
    std::stable_sort(said.begin(), said.end(),
                     [&](const warning& a, const warning& b) { return weight(a) < weight(b); });
    return said;
}

}  // namespace carat::report
