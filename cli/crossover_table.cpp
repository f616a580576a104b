#include "cli/crossover_table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "cli/terminal.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

using crossover::crossing;
using crossover::outcome;
using crossover::point;

constexpr std::size_t cpu_columns = 20;
constexpr std::size_t gpu_columns = 14;
constexpr std::size_t gpus_in_a_row = 3;

std::string last_part(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

const point* at(const crossing& c, std::int64_t n) {
    const auto found = std::ranges::find(c.points, n, &point::n);
    return found == c.points.end() ? nullptr : &*found;
}

std::string row(std::span<const crossing> crossings, std::int64_t n) {
    std::string text;
    for (const crossing& c : crossings) {
        const point* p = at(c, n);
        if (p != nullptr && text.empty())
            text = fmt::format("{:>6} {:<{}} {:>8}", n,
                               shortened_middle(p->cpu.implementation, cpu_columns), cpu_columns,
                               report::duration(p->cpu.median_s));
    }
    for (const crossing& c : crossings) {
        const point* p = at(c, n);
        const std::string time = p == nullptr ? "-" : report::duration(p->gpu.median_s);
        const char* mark = p != nullptr && p->gpu_wins() ? "*" : " ";
        text += fmt::format(" {:>{}}{}", time, gpu_columns - 2, mark);
    }
    return text + "\n";
}

std::string part(std::span<const crossing> crossings) {
    std::string heading = fmt::format("{:>6} {:<{}} {:>8}", "N", "best CPU", cpu_columns, "time");
    std::set<std::int64_t> sizes;
    for (const crossing& c : crossings) {
        heading += fmt::format(" {:>{}} ", shortened_middle(last_part(c.gpu), gpu_columns - 2),
                               gpu_columns - 2);
        for (const point& p : c.points) sizes.insert(p.n);
    }
    std::string text = styled(heading, style::faint) + "\n";
    for (const std::int64_t n : sizes) text += row(crossings, n);
    return text;
}

std::string end_of(double n) {
    if (std::isinf(n)) return n < 0 ? "below" : "beyond";
    return fmt::format("{:.0f}", n);
}

std::string verdict(const crossing& c) {
    const std::int64_t first = c.points.front().n;
    const std::int64_t last = c.points.back().n;
    if (c.what == outcome::always)
        return fmt::format("{} wins at every size from N = {} on", c.gpu, first);
    if (c.what == outcome::never)
        return fmt::format("{} never pays: it loses at N = {}, the largest size", c.gpu, last);
    return fmt::format("{} wins from N = {:.0f} on, 95 % CI [{}, {}]", c.gpu, c.n,
                       end_of(c.ci95.lower), end_of(c.ci95.upper));
}

}  // namespace

std::string crossover_table(std::span<const crossing> crossings) {
    std::string text;
    for (std::size_t first = 0; first < crossings.size(); first += gpus_in_a_row)
        text += part(crossings.subspan(first, std::min(gpus_in_a_row, crossings.size() - first)));
    return text + styled("   * the GPU wins, copies and allocations included\n", style::faint);
}

std::string crossover_verdicts(std::span<const crossing> crossings) {
    std::string text;
    for (const crossing& c : crossings) {
        text += styled(verdict(c), style::strong) + "\n";
        if (c.changes > 1)
            text +=
                fmt::format("   the winner changes {} times: the curves run close\n", c.changes);
        if (c.few_trials) text += "   fewer than 20 trials there: lean on it with care\n";
    }
    return text;
}

}  // namespace carat::cli
