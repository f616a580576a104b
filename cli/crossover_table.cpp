#include "cli/crossover_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "cli/terminal.hpp"
#include "lab/report/crossover.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

using results::crossover;
using results::crossover_point;

constexpr std::size_t cpu_columns = 20;
constexpr std::size_t gpu_columns = 14;
constexpr std::size_t gpus_in_a_row = 3;

std::string last_part(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

const crossover_point* at(const crossover& c, std::int64_t n) {
    const auto found = std::ranges::find(c.points, n, &crossover_point::n);
    return found == c.points.end() ? nullptr : &*found;
}

std::string row(std::span<const crossover> crossings, std::int64_t n) {
    std::string text;
    for (const crossover& c : crossings) {
        const crossover_point* p = at(c, n);
        if (p != nullptr && text.empty())
            text = fmt::format("{:>6} {:<{}} {:>8}", n, shortened_middle(p->cpu, cpu_columns),
                               cpu_columns, report::duration(p->cpu_s));
    }
    for (const crossover& c : crossings) {
        const crossover_point* p = at(c, n);
        const std::string time = p == nullptr ? "-" : report::duration(p->gpu_s);
        const char* mark = p != nullptr && p->gpu_wins() ? "*" : " ";
        text += fmt::format(" {:>{}}{}", time, gpu_columns - 2, mark);
    }
    return text + "\n";
}

std::string part(std::span<const crossover> crossings) {
    std::string heading = fmt::format("{:>6} {:<{}} {:>8}", "N", "best CPU", cpu_columns, "time");
    std::set<std::int64_t> sizes;
    for (const crossover& c : crossings) {
        heading += fmt::format(" {:>{}} ", shortened_middle(last_part(c.gpu), gpu_columns - 2),
                               gpu_columns - 2);
        for (const crossover_point& p : c.points) sizes.insert(p.n);
    }
    std::string text = styled(heading, style::faint) + "\n";
    for (const std::int64_t n : sizes) text += row(crossings, n);
    return text;
}

}  // namespace

std::string crossover_table(std::span<const crossover> crossings) {
    std::string text;
    for (std::size_t first = 0; first < crossings.size(); first += gpus_in_a_row)
        text += part(crossings.subspan(first, std::min(gpus_in_a_row, crossings.size() - first)));
    return text + styled("   * the GPU wins, copies and allocations included\n", style::faint);
}

std::string crossover_verdicts(const results::document& doc) {
    std::string text;
    for (std::string& said : report::crossover_sentences(doc)) {
        std::erase(said, '`');
        text += styled(wrapped(said, 0), style::strong) + "\n";
    }
    const auto has_few = [](const crossover& c) { return c.few_trials; };
    if (std::ranges::any_of(doc.crossovers, has_few))
        text += "   fewer than 20 trials around a crossing: lean on it with care\n";
    return text;
}

}  // namespace carat::cli
