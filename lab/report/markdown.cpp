// The report as Markdown: sentences, one table per case, and what was measured on what.
#include <fmt/format.h>
#include <string>

#include "lab/report/case_tables.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/digest.hpp"
#include "lab/report/report.hpp"
#include "lab/report/standing.hpp"
#include "lab/report/study.hpp"
#include "lab/report/verdict.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"
#include "lab/results/surroundings.hpp"

namespace carat::report {
namespace {

std::string without_title(const table& t) {
    return t.rows.empty() ? "" : markdown(t);
}

std::string section(const results::document& doc, const measured_case& here) {
    table ranking = ranking_table(doc, here);
    ranking.note.clear();  // said once, below all of them
    std::string said =
        fmt::format("## {}\n\n{}\n\n{}{}{}", plain(here.label()), plain(joined(verdict(doc, here))),
                    without_title(ranking), without_title(gpu_table(doc.date, here)),
                    without_title(phases_table(doc.date, here)));
    for (const auto& [of, why] : here.refused)
        if (of->available)
            said += fmt::format("- `{}`: {}\n", plain(of->implementation), plain(why));
    return said + (said.ends_with("\n\n") ? "" : "\n");
}

std::string setting_line(const results::document& doc) {
    const auto text = [](const auto& from, const char* field) {
        return plain(results::recorded(from, field));
    };
    const auto or_not = [](const std::string& told) {
        return told.empty() ? "not recorded" : plain(told);
    };
    return fmt::format(
        "- machine: {} ({} cores, {} hardware threads), {}\n"
        "- built with {} {}\n"
        "- inputs {} ({}), seed {}; order: {}\n"
        "- carat {}, revision {}, {}\n",
        text(doc.machine, "cpu_model"), text(doc.machine, "cores"),
        text(doc.machine, "hardware_threads"), text(doc.machine, "os"), text(doc.build, "compiler"),
        text(doc.build, "flags"), text(doc.settings, "distribution"), text(doc.settings, "inputs"),
        text(doc.settings, "seed"), text(doc.settings, "order"), or_not(doc.carat),
        or_not(doc.revision), or_not(doc.date));
}

}  // namespace

std::string headline(const results::document& doc) {
    std::string said = joined(headline(doc, group(doc)));
    std::erase(said, '`');
    return said;
}

std::string markdown(const results::document& doc) {
    const auto cases = group(doc);
    std::string said = fmt::format("# Matrix multiplication, measured\n\n{}\n\n",
                                   plain(joined(headline(doc, cases))));
    for (const auto& [level, text] : warnings(doc)) {
        said += fmt::format("- **{}**: {}\n", level, plain(text));
    }
    said += said.ends_with("\n\n") ? "" : "\n";
    said += study_markdown(doc) + crossover_markdown(doc);
    if (const table over_all = standing_table(cases); !over_all.rows.empty())
        said += fmt::format("## {}\n\n{}", over_all.title, markdown(over_all));
    for (const auto& here : cases) said += section(doc, here);
    said +=
        "Same group letter: these trials can't tell them apart. u is the unit roundoff of the "
        "type computed in.\n\n## Measured on\n\n" +
        setting_line(doc);
    const auto missing = absences(doc);
    if (!missing.empty()) said += "\n## Unavailable\n\n";
    for (const auto& [implementation, reason, results] : missing) {
        said += fmt::format("- `{}`: {}\n", plain(implementation), plain(reason));
    }
    return said;
}

}  // namespace carat::report
