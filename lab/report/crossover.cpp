#include "lab/report/crossover.hpp"

#include <fmt/format.h>
#include <set>

#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

std::string end(const json& ends, std::size_t i, const char* beyond) {
    return ends[i].is_null() ? beyond : fmt::format("{:.0f}", ends[i].get<double>());
}

std::string sentence(const json& crossover) {
    const json& points = crossover["points"];
    const std::string who = "`" + unquoted(crossover["gpu"]) + "`";
    const std::string where =
        fmt::format("in {}, copies from {} memory and all else included",  // what is compared
                    unquoted(crossover["dtype"]), unquoted(crossover["host_memory"]));
    if (crossover["outcome"] == "always")
        return fmt::format("{} beats the best CPU implementation at every size from N = {} on, {}.",
                           who, points.front()["n"].get<std::int64_t>(), where);
    if (crossover["outcome"] == "never")
        return fmt::format("{} does not beat the best CPU implementation up to N = {}, {}.", who,
                           points.back()["n"].get<std::int64_t>(), where);
    const json& ci = crossover["ci95"];
    return fmt::format(
        "{} beats the best CPU implementation from N = {:.0f} on (95 % CI {} to {}), {}{}.", who,
        crossover["n"].get<double>(), end(ci, 0, "below the sizes measured"),
        end(ci, 1, "beyond the sizes measured"), where,
        field_or(crossover, "changes", 1) > 1 ? "; the winner changes more than once" : "");
}

const json* point_at(const json& crossover, std::int64_t n) {
    for (const json& p : crossover["points"])
        if (p["n"] == n) return &p;
    return nullptr;
}

std::string milliseconds(const json& time_s) {
    return digits(1e3 * time_s.get<double>());
}

std::vector<std::string> row(const json& crossovers, std::int64_t n) {
    std::vector<std::string> results = {std::to_string(n), "-", "-"};
    for (const json& crossover : crossovers) {
        const json* p = point_at(crossover, n);
        if (p == nullptr) {
            results.emplace_back("-");
            continue;
        }
        results[1] = "`" + unquoted((*p)["cpu"]) + "`";
        results[2] = milliseconds((*p)["cpu_s"]);
        const bool wins = (*p)["gpu_s"] < (*p)["cpu_s"];
        const std::string time = milliseconds((*p)["gpu_s"]);
        results.push_back(wins ? "**" + time + "**" : time);
    }
    return results;
}

}  // namespace

std::vector<std::string> crossover_sentences(const results::document& doc) {
    std::vector<std::string> sentences;
    for (const json& crossover : doc.crossovers) sentences.push_back(sentence(crossover));
    return sentences;
}

table crossover_table(const results::document& doc) {
    const json& crossovers = doc.crossovers;
    table t{"From which size a GPU pays",
            {{"N"}, {"best CPU", align::left}, {"its time, ms"}},
            {},
            "A GPU's time holds allocating, copying both ways and freeing. Bold: it wins."};
    std::set<std::int64_t> sizes;
    for (const json& crossover : crossovers) {
        t.columns.push_back({"`" + unquoted(crossover["gpu"]) + "`, ms"});
        for (const json& p : crossover["points"]) sizes.insert(p["n"].get<std::int64_t>());
    }
    for (const std::int64_t n : sizes) t.rows.push_back(row(crossovers, n));
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
