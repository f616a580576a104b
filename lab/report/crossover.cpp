#include "lab/report/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using results::crossover;

std::string end(double n, const char* beyond) {
    return std::isfinite(n) ? fmt::format("{:.0f}", n) : beyond;
}

std::string sentence(const crossover& c) {
    const std::string who = "`" + unquoted(c.gpu) + "`";
    const std::string where =
        fmt::format("in {}, copies from {} memory and all else included",  // what is compared
                    unquoted(c.dtype), unquoted(c.host_memory));
    if (c.outcome == "always")
        return fmt::format("{} beats the best CPU implementation at every size from N = {} on, {}.",
                           who, c.points.front().n, where);
    if (c.outcome == "never")
        return fmt::format("{} does not beat the best CPU implementation up to N = {}, {}.", who,
                           c.points.back().n, where);
    return fmt::format(
        "{} beats the best CPU implementation from N = {:.0f} on (95 % CI {} to {}), {}{}.", who,
        c.n.value(), end(c.ci95[0], "below the sizes measured"),
        end(c.ci95[1], "beyond the sizes measured"), where,
        c.changes > 1 ? "; the winner changes more than once" : "");
}

std::vector<std::string> row(const std::vector<crossover>& all, std::int64_t n) {
    std::vector<std::string> cells = {std::to_string(n), "-", "-"};
    for (const crossover& c : all) {
        const auto p = std::ranges::find(c.points, n, &results::crossover_point::n);
        if (p == c.points.end()) {
            cells.emplace_back("-");
            continue;
        }
        cells[1] = "`" + unquoted(p->cpu) + "`";
        cells[2] = milliseconds(p->cpu_s);
        const std::string time = milliseconds(p->gpu_s);
        cells.push_back(p->gpu_wins() ? "**" + time + "**" : time);
    }
    return cells;
}

}  // namespace

std::vector<std::string> crossover_sentences(const results::document& doc) {
    std::vector<std::string> sentences;
    for (const crossover& c : doc.crossovers) sentences.push_back(sentence(c));
    return sentences;
}

table crossover_table(const results::document& doc) {
    table t{"From which size a GPU pays",
            {{"N"}, {"best CPU", align::left}, {"its time, ms"}},
            {},
            "A GPU's time holds allocating, copying both ways and freeing. Bold: it wins."};
    std::set<std::int64_t> sizes;
    for (const crossover& c : doc.crossovers) {
        t.columns.push_back({"`" + unquoted(c.gpu) + "`, ms"});
        for (const results::crossover_point& p : c.points) sizes.insert(p.n);
    }
    for (const std::int64_t n : sizes) t.rows.push_back(row(doc.crossovers, n));
    return t;
}

std::string crossover_markdown(const results::document& doc) {
    const table times = crossover_table(doc);
    if (times.rows.empty()) return {};
    std::string said = "## " + times.title + "\n\n";
    for (const std::string& s : crossover_sentences(doc)) said += "- " + s + "\n";
    return said + "\n" + markdown(times);
}

}  // namespace carat::report
