#include "lab/report/tables.hpp"

#include <cctype>
#include <fmt/format.h>
#include <set>

#include "lab/report/case_tables.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/digest.hpp"
#include "lab/report/report.hpp"
#include "lab/report/standing.hpp"
#include "lab/report/study.hpp"
#include "lab/report/words.hpp"
#include "lab/results/surroundings.hpp"

namespace carat::report {
namespace {

// The measured peaks of the machine and of its GPUs, with the name their rows begin with.
std::vector<std::pair<std::string, results::measured_peaks>> owners(
    const results::surroundings& of) {
    std::vector<std::pair<std::string, results::measured_peaks>> all = {{"CPU", of.peaks}};
    for (const results::gpu_seen& gpu : of.gpus) all.emplace_back(gpu.name, gpu.peaks);
    return all;
}

table compute_table(const results::surroundings& of) {
    table t{"Arithmetic, measured peaks",
            {{"device", align::left},
             {"unit", align::left},
             {"type", align::left},
             {"threads"},
             {"peak"}},
            {},
            {}};
    for (const auto& [name, peaks] : owners(of))
        for (const results::measured_peak& p : peaks.compute)
            t.rows.push_back({name, p.of, p.dtype.empty() ? "-" : p.dtype,
                              std::to_string(p.threads), throughput(p.rate)});
    return t;
}

table bandwidth_table(const results::surroundings& of) {
    table t{"Bandwidth, measured peaks",
            {{"device", align::left}, {"level", align::left}, {"threads"}, {"GB/s"}},
            {},
            {}};
    for (const auto& [name, peaks] : owners(of))
        for (const results::measured_peak& p : peaks.bandwidth)
            t.rows.push_back({name, p.of, std::to_string(p.threads), digits(p.rate)});
    return t;
}

table absence_table(const results::document& doc) {
    table t{"Unavailable",
            {{"implementation", align::left}, {"why not", align::left}, {"results"}},
            {},
            {}};
    for (const auto& [implementation, reason, results] : absences(doc))
        t.rows.push_back(
            {"`" + unquoted(implementation) + "`", unquoted(reason), std::to_string(results)});
    return t;
}

// "f64 100 × 100 × 100, 2 threads" as "f64-100-100-100-2-threads".
std::string slug(const std::string& title) {
    std::string text;
    for (const char c : title) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte) != 0)
            text += static_cast<char>(std::tolower(byte));
        else if (!text.empty() && text.back() != '-')
            text += '-';
    }
    while (text.ends_with('-')) text.pop_back();
    return text;
}

// Titles that come twice (a case measured in two layouts, say) are numbered.
void tell_apart(std::vector<table>& all) {
    std::set<std::string> known;
    for (table& t : all) {
        const std::string title = t.title;
        for (int i = 2; !known.insert(slug(t.title)).second; ++i)
            t.title = fmt::format("{} ({})", title, i);
    }
}

std::string origin(const results::document& doc) {
    const auto or_else = [](const std::string& text, const char* without) {
        return text.empty() ? without : text;
    };
    return fmt::format("Measured on {} with carat {}, revision {}, {}.",
                       results::surroundings_of(doc).cpu_model,
                       or_else(doc.carat, "of an unknown version"),
                       or_else(doc.revision, "unknown"), or_else(doc.date, "without a date"));
}

}  // namespace

std::vector<table> all_tables(const results::document& doc) {
    std::vector<table> all;
    for (const results::chapter& study : doc.studies)
        for (table& t : study_tables(study)) {
            t.title = study.title + ": " + t.title;
            all.push_back(std::move(t));
        }
    all.push_back(crossover_table(doc));
    const std::vector<measured_case> cases = group(doc);
    all.push_back(standing_table(cases));
    for (const measured_case& here : cases)
        for (table& t : std::vector{ranking_table(doc, here), pairs_table(doc, here),
                                    gpu_table(doc.date, here), phases_table(doc.date, here)})
            all.push_back(std::move(t));
    const results::surroundings machine = results::surroundings_of(doc);
    all.push_back(compute_table(machine));
    all.push_back(bandwidth_table(machine));
    all.push_back(absence_table(doc));
    std::erase_if(all, [](const table& t) { return t.rows.empty(); });
    tell_apart(all);
    return all;
}

std::string tables(const results::document& doc, table_form form) {
    const std::vector<table> all = all_tables(doc);
    if (form == table_form::markdown) {
        std::string said = plain(origin(doc)) + "\n\n";
        for (const table& t : all) said += fmt::format("## {}\n\n{}", plain(t.title), markdown(t));
        return said;
    }
    std::string said =
        fmt::format("% {}\n% In the preamble: \\usepackage{{booktabs}}\n", latex(origin(doc)));
    for (const table& t : all) said += "\n" + latex(t, slug(t.title));
    return said;
}

}  // namespace carat::report
