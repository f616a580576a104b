#include "lab/scale_out/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/gpu/gpu.hpp"
#include "lab/machine/description.hpp"
#include "lab/report/report.hpp"
#include "lab/report/text.hpp"
#include "lab/report/words.hpp"
#include "lab/results/build_info.hpp"

namespace carat::scale_out {

namespace {

std::string interval(const summary& s) {
    const std::string from = report::milliseconds(s.lower), to = report::milliseconds(s.upper);
    return s.is_range ? from + " to " + to : "[" + from + ", " + to + "]";
}

// The unit of the fastest, so that a column has one.
report::throughput_unit unit_of(const comparison& of) {
    double most = 0;
    for (const entry& e : of.entries)
        if (e.has_figure()) most = std::max(most, e.flop / e.seconds.median / 1e9);
    return report::unit_for(most);
}

// Name, ms, interval, throughput, efficiency, words over the bound.
std::vector<std::string> cells(const entry& e, const report::throughput_unit& unit) {
    const auto known = [](double value, const std::string& written) {
        return value >= 0 ? written : "-";
    };
    return {e.name,
            report::milliseconds(e.seconds.median),
            interval(e.seconds),
            report::digits(e.flop / e.seconds.median / 1e9 / unit.gflops),
            known(e.efficiency, fmt::format("{:.1f} %", 100 * e.efficiency)),
            known(e.words_over_bound, fmt::format("{:.2f}", e.words_over_bound))};
}

std::vector<std::string> heads(const comparison& of, const std::string& efficiency) {
    const bool few =
        std::ranges::any_of(of.entries, [](const entry& e) { return e.seconds.is_range; });
    return {"implementation", "ms",       few ? "range" : "95 % CI",
            unit_of(of).name, efficiency, "words/B"};
}

std::string wrong(const entry& e) {
    return fmt::format("{} is WRONG in {} {}.", e.name, e.wrong_entries,
                       e.wrong_entries == 1 ? "entry" : "entries");
}

// What carat's first row took.
std::string finding(const comparison& of, const std::string& efficiency) {
    const auto first = std::ranges::find_if(of.entries, &entry::is_answer);
    if (first == of.entries.end() || !first->has_figure()) return of.title + ": no answer.";
    const std::string share =
        first->efficiency >= 0 ? fmt::format(", {:.1f} % {}", 100 * first->efficiency, efficiency)
                               : "";
    return fmt::format("{}: {} takes {}{}.", of.title, first->name,
                       report::duration(first->seconds.median), share);
}

void add(results::chapter& c, const comparison& of, const std::string& efficiency,
         const std::string& note) {
    const report::throughput_unit unit = unit_of(of);
    results::chapter_table t{of.title, heads(of, efficiency), {}, note};
    for (const entry& e : of.entries) {
        if (e.has_figure())
            t.rows.push_back(cells(e, unit));
        else if (e.wrong_entries > 0)
            c.findings.push_back(wrong(e));
        else
            c.not_run.push_back(e.name + ": " + e.why_not);
    }
    c.findings.push_back(finding(of, efficiency));
    c.tables.push_back(std::move(t));
}

results::chapter chapter_of(const outcome& of) {
    results::chapter c{.study = "distributed",
                       .title = "One product over many ranks",
                       .question = of.question,
                       .extent = "full"};
    for (const comparison& one : of.all) add(c, one, of.efficiency, of.note);
    return c;
}

}  // namespace

summary summary_of(std::vector<double> times) {
    std::ranges::sort(times);
    const auto count = static_cast<double>(times.size());
    const auto off = static_cast<std::size_t>(std::ceil(0.98 * std::sqrt(count)));
    const std::size_t middle = times.size() / 2;
    constexpr std::size_t fewest = 6;
    return {times[middle], times[middle >= off ? middle - off : 0],
            times[std::min(middle + off, times.size() - 1)], times.size() < fewest};
}

std::string text(const comparison& of, const std::string& efficiency) {
    results::chapter c;
    add(c, of, efficiency, "");
    return report::text(c);
}

std::string page(const outcome& of, const std::string& command) {
    results::document doc = results::new_document(command);
    doc.complete = true;
    doc.machine = machine::to_json(machine::describe());
    doc.machine["gpus"] = nlohmann::json::array();
    for (int device = 0; of.on_gpus && device < gpu::count(); ++device)
        if (nlohmann::json facts = gpu::describe(device); !facts.is_null())
            doc.machine["gpus"].push_back(std::move(facts));
    doc.studies = {chapter_of(of)};
    return report::html(doc);
}

}  // namespace carat::scale_out
