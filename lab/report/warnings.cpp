// One function per concern; each adds at most one line, with the remedy where there is one.
#include "lab/report/warnings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "lab/report/age.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/lead.hpp"
#include "lab/report/words.hpp"
#include "lab/results/surroundings.hpp"

namespace carat::report {
namespace {

using list = std::vector<warning>;
using results::document;
using results::result;

std::string name(const result& of) {
    return fmt::format("`{}`", unquoted(of.implementation));
}

bool measured(const result& of) {
    return of.available && of.verified && !of.trials_s.empty();
}

bool has_library(const result& of) {
    return !of.vendor.name.empty();
}

// The results that satisfy a test: how many, and the names without repeats. Files hold many, so a
// test asks first what is rare.
struct selection {
    std::size_t results = 0;
    std::vector<std::string> names;
};

template <class Test>
selection select(const document& doc, const Test& test) {
    selection found;
    for (const result& of : doc.results) {
        if (!test(of)) continue;
        ++found.results;
        if (std::ranges::find(found.names, name(of)) == found.names.end())
            found.names.push_back(name(of));
    }
    return found;
}

// One line where results satisfy a test; `form` takes how many, and their names.
template <class Test>
void tell(const document& doc, list& said, const char* level,
          fmt::format_string<std::string, std::string> form, const Test& test) {
    const selection found = select(doc, test);
    if (found.results > 0)
        said.push_back(
            {level, fmt::format(form, counted(found.results, "result"), listed(found.names))});
}

void failures(const document& doc, list& said) {
    tell(doc, said, "error", "{} not verified, so without a figure: {}.",
         [](const result& of) { return of.available && !of.verified; });
    tell(doc, said, "error",
         "{} faster than the measured limit of the hardware, so refused as impossible: {}. Wrong "
         "work, wrong time, or a peak measured in a slower moment.",
         [](const result& of) { return of.above_peak && measured(of); });
}

void unfinished(const document& doc, list& said) {
    if (!doc.complete)
        said.push_back({"warning",
                        "The run was interrupted. Every result shown is valid; go on with "
                        "`carat bench --resume`."});
    tell(doc, said, "warning",
         "{} with fewer than 20 trials, whose intervals are rough: {}. Give `--trials 30` or a "
         "longer budget.",
         [](const result& of) { return of.few_trials && measured(of); });
    tell(doc, said, "warning",
         "{} from fewer than three processes, so without an interval: {}. The range of the trials "
         "stands in its place; another start may differ by more.",
         [](const result& of) { return !has_interval(of) && measured(of); });
    tell(doc, said, "warning",
         "{} stopped by the time budget before the interval was as narrow as asked: {}.",
         [](const result& of) { return of.stop == "budget" && measured(of); });
}

// Whether every case and every result on the CPU tells the same number.
bool all_use_as_many_threads(const document& doc) {
    std::set<int> counts;
    for (const results::comparison& compared : doc.comparisons) counts.insert(compared.threads);
    for (const result& of : doc.results) {
        counts.insert(of.threads);
        if (of.on_cpu()) counts.insert(threads_used(of));
        if (counts.size() > 1) return false;
    }
    return true;
}

// A serial step of a ladder beside threaded ones is the lesson, and an engine that leaves threads
// idle on a small problem is its plan; a vendor that does is worth a second look.
void unequal_threads(const document& doc, list& said) {
    if (all_use_as_many_threads(doc)) return;  // groups need not be formed for nothing
    std::set<std::string> names;
    bool vendor = false;
    for (const auto& here : group(doc)) {
        for (const result* of : here.ranked) {
            if (!of->on_cpu() || threads_used(*of) == here.threads) continue;
            names.insert(name(*of));
            vendor = vendor || has_library(*of);
        }
    }
    if (names.empty()) return;
    said.push_back({vendor ? "warning" : "note",
                    fmt::format("Unequal thread counts stand side by side: {} used another number "
                                "of threads than the case allows; the table gives it.",
                                listed({names.begin(), names.end()}))});
}

bool busy(const result& of) {
    return is_disturbed(of) && measured(of);
}

void other_work(const document& doc, list& said) {
    if (const auto without = select(doc, busy); without.results > 0) {
        const auto found = std::ranges::find_if(doc.results, busy);
        said.push_back({"warning", fmt::format("No verdict rests on {} of a busy machine: {}. In "
                                               "the first, {}.",
                                               counted(without.results, "result"),
                                               listed(without.names), unquoted(found->busy))});
    }
    const auto beside_others = [](const result& of) {
        return of.background_cpu_share.value_or(0) > tolerable_other_work && measured(of) &&
               !is_disturbed(of);
    };
    const auto disturbed = select(doc, beside_others);
    if (disturbed.results == 0) return;
    double most = 0;
    for (const result& of : doc.results)
        if (beside_others(of)) most = std::max(most, *of.background_cpu_share);
    said.push_back(
        {"warning",
         fmt::format("Other work took up to {:.0f} % of the processors' time during "
                     "the trials of {}: {}. Products on several threads suffer "
                     "most, so ranks may be wrong; measure again without it.",
                     100 * most, counted(disturbed.results, "result"), listed(disturbed.names))});
}

void trial_quality(const document& doc, list& said) {
    constexpr double noisy = 0.1;  // standard deviation over mean
    tell(doc, said, "warning",
         "Trials spread by more than 10 % in {}: {}. Something else was using the machine.",
         [](const result& of) { return of.sd_s > noisy * of.mean_s && measured(of); });
}

// Errors beyond what independent roundings give in the claimed arithmetic: docs/adr/0115.
void accuracy(const document& doc, list& said) {
    constexpr double lambda = 10;
    const auto off =
        select(doc, [](const result& of) { return of.error_over_sqrt_k > lambda && measured(of); });
    if (off.results == 0) return;
    double most = 0;
    for (const result& of : doc.results) most = std::max(most, of.error_over_sqrt_k);
    said.push_back(
        {"warning",
         fmt::format("Errors up to {:.0f} times sqrt(k) roundings in {}: {}. Sums in the "
                     "precision claimed that round to nearest stay below {:.0f}.",
                     most, counted(off.results, "result"), listed(off.names), lambda)});
}

// "OpenBLAS chose SkylakeX", once for each library that tells.
std::vector<std::string> kernels_chosen(const document& doc) {
    std::vector<std::string> chosen;
    for (const result& of : doc.results) {
        if (of.vendor.kernel.empty() || !has_library(of) || !measured(of)) continue;
        const std::string text = fmt::format("{} chose {}", name(of), unquoted(of.vendor.kernel));
        if (std::ranges::find(chosen, text) == chosen.end()) chosen.push_back(text);
    }
    return chosen;
}

void virtual_machine(const document& doc, list& said) {
    const auto hypervisor = results::surroundings_of(doc).hypervisor;
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

void vendor_notes(const document& doc, list& said) {
    std::set<std::string> told;
    for (const result& of : doc.results) {
        if (of.vendor.note.empty() || !has_library(of) || !measured(of)) continue;
        const std::string text = fmt::format("{}: {}", name(of), unquoted(of.vendor.note));
        if (told.insert(text).second) said.push_back({"note", text});
    }
}

// Where several have one, the first gives the words.
void remarks(const document& doc, list& said) {
    const auto has_one = [](const result& of) { return !of.remark.empty() && measured(of); };
    const auto found = select(doc, has_one);
    if (found.results == 0) return;
    const auto first = std::ranges::find_if(doc.results, has_one);
    said.push_back(
        {"note", fmt::format("Of {}, in the first: {}: {}.", counted(found.results, "result"),
                             unquoted(first->remark), listed(found.names))});
}

// All in one line: a machine with one old library often has several.
void aged(const document& doc, list& said) {
    std::vector<std::string> told;
    for (const result& of : doc.results) {
        const std::string month = old_release(of, doc.date);
        if (month.empty() || !measured(of)) continue;
        const std::string text = unquoted(age_of(of.vendor.name, of.vendor.version, month));
        if (std::ranges::find(told, text) == told.end()) told.push_back(text);
    }
    if (told.empty()) return;
    said.push_back(
        {"warning", fmt::format("{}: more than two years before this run, so newer ones may be "
                                "faster (`./dev peers`).",
                                listed(told))});
}

void conditions(const document& doc, list& said) {
    const results::surroundings machine = results::surroundings_of(doc);
    if (machine.peaks.compute.empty()) {
        said.push_back({"note",
                        "The machine's peaks were not measured: there is no roofline, "
                        "and an impossible figure can't be caught."});
    }
    if (machine.is_debug_build) {
        said.push_back({"warning",
                        "carat was built for debugging: its own implementations are "
                        "far slower than in a release build."});
    }
}

}  // namespace

std::vector<warning> warnings(const document& doc) {
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
