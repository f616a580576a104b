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

std::string row(const json& crossovers, std::int64_t n) {
    std::string cells, cpu = "- | -";
    for (const json& crossover : crossovers) {
        const json* p = point_at(crossover, n);
        if (p == nullptr) {
            cells += " - |";
            continue;
        }
        cpu = fmt::format("`{}` | {}", unquoted((*p)["cpu"]), duration((*p)["cpu_s"]));
        const bool wins = (*p)["gpu_s"] < (*p)["cpu_s"];
        const std::string time = duration((*p)["gpu_s"]);
        cells += wins ? fmt::format(" **{}** |", time) : fmt::format(" {} |", time);
    }
    return fmt::format("| {} | {} |{}\n", n, cpu, cells);
}

}  // namespace

std::vector<std::string> crossover_sentences(const json& results) {
    std::vector<std::string> sentences;
    for (const json& crossover : results.value("crossovers", json::array()))
        sentences.push_back(sentence(crossover));
    return sentences;
}

std::string crossover_markdown(const json& results) {
    const json crossovers = results.value("crossovers", json::array());
    if (crossovers.empty()) return {};
    std::string said = "## From which size a GPU pays\n\n";
    for (const std::string& s : crossover_sentences(results)) said += "- " + s + "\n";
    std::string head = "\n| N | best CPU | time |", rule = "|--:|:--|--:|";
    std::set<std::int64_t> sizes;
    for (const json& crossover : crossovers) {
        head += fmt::format(" `{}` |", unquoted(crossover["gpu"]));
        rule += "--:|";
        for (const json& p : crossover["points"]) sizes.insert(p["n"].get<std::int64_t>());
    }
    said += head + "\n" + rule + "\n";
    for (const std::int64_t n : sizes) said += row(crossovers, n);
    return said +
           "\nA GPU's time holds allocating, copying both ways and freeing. Bold: it wins.\n\n";
}

}  // namespace carat::report
