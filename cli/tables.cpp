#include "cli/tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.hpp"
#include "core/implementation.hpp"
#include "lab/compare/effort.hpp"
#include "lab/report/age.hpp"
#include "lab/report/lead.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

constexpr std::size_t name_columns = 25;  // fewer where groups are longer
constexpr std::size_t group_columns = 6;
constexpr std::size_t full_columns = 80;

// At least three digits that mean something, and never more than a median deserves.
std::string amount(double value) {
    if (value >= 1000) return fmt::format("{:.0f}", value);
    if (value >= 100) return fmt::format("{:.1f}", value);
    if (value < 0.1) return fmt::format("{:.2g}", value);
    return fmt::format("{:.{}f}", value, value >= 1 ? 2 : 3);
}

using rows = std::span<const results::result* const>;

bool on_cpu(const results::result* c) {
    return c->device == core::name(core::device::cpu);
}

// What the rows of a table have in common.
struct table_of {
    std::size_t name_columns;
    report::throughput_unit unit;
    double cpu_roofline = 0;  // the highest: rows on fewer threads have a lower one of their own
    double gpu_roofline = 0;
    std::string date;

    [[nodiscard]] double roofline_for(const results::result& c) const {
        return on_cpu(&c) ? cpu_roofline : gpu_roofline;
    }
};

std::string factor(double value) {
    if (value >= 9999.5) return fmt::format("{:.0e}", value);
    return fmt::format("{:.{}f}", value,
                       value < 1.9995  ? 3
                       : value < 9.995 ? 2
                       : value < 99.95 ? 1
                                       : 0);
}

// Of a median: its interval's half width, or else how far its trials lie below and above it. A
// width beyond the median itself says by which factor the ends differ.
std::string spread(const results::result& c) {
    if (results::bounded(c.ci95_gflops)) {
        const double half = (c.ci95_gflops[1] - c.ci95_gflops[0]) / 2;
        const double share = 100 * half / c.median_gflops;
        if (share >= 99.5 && c.ci95_gflops[0] > 0)
            return "\u00d7\u00f7" + factor(std::sqrt(c.ci95_gflops[1] / c.ci95_gflops[0]));
        return fmt::format("\u00b1{:.{}f}%", share, share < 0.995 ? 2 : share < 9.95 ? 1 : 0);
    }
    const auto percent = [&](double time_s) {
        return fmt::format("{:.0f}", std::abs(100 * (c.median_s / time_s - 1)));
    };
    return fmt::format("-{}/+{}%", percent(c.max_s), percent(c.min_s));
}

// What a pair says of `name` against the other.
std::string verdict_on(const results::pair& p, const std::string& name) {
    if (p.a == name || (p.verdict != "faster" && p.verdict != "slower")) return p.verdict;
    return p.verdict == "faster" ? "slower" : "faster";
}

// How many times as long as `other`, from the interval of the pair; without one, of the medians.
std::string behind(const results::result& c, const results::result& other, const results::pair* p) {
    if (p == nullptr || !results::bounded(p->ci95_ratio))
        return factor(other.median_gflops / c.median_gflops) + "x";
    const auto [low, high] = p->ci95_ratio;
    const bool turned = p->a == c.implementation;
    return fmt::format("{}-{}x", factor(turned ? 1 / high : low), factor(turned ? 1 / low : high));
}

// "2 threads", the GPU where all ran there, or both.
std::string place_of(rows ranked, int threads, const std::string& gpu) {
    const std::string cpu = report::threads(threads);
    if (ranked.empty() || std::ranges::all_of(ranked, on_cpu)) return cpu;
    return std::ranges::none_of(ranked, on_cpu) ? gpu : cpu + " and " + gpu;
}

std::string roofline(rows ranked, const table_of& t) {
    std::string text;
    for (const double highest : {t.cpu_roofline, t.gpu_roofline}) {
        if (highest <= 0) continue;
        const auto of = std::ranges::find_if(ranked, [&](const auto* c) {
            return c->roofline_gflops == highest && t.roofline_for(*c) == highest;
        });
        if (of == ranked.end()) continue;
        const report::throughput_unit unit = report::unit_for(highest);
        text += fmt::format("{} {} {} ({})", text.empty() ? "; roofline" : ",",
                            amount(highest / unit.gflops), unit.name, (*of)->bound);
    }
    return text;
}

std::string heading(const results::comparison& c, rows ranked, const table_of& t,
                    const std::string& gpu) {
    const std::string text = fmt::format("{} {}, {}{}", c.dtype, sized(c.asked, c.m, c.n, c.k),
                                         place_of(ranked, c.threads, gpu), roofline(ranked, t));
    return styled(text, style::strong) + "\n";
}

// A library that takes this machine for a lesser one: the words of its note on its kernel.
bool has_a_lesser_kernel(const results::result& c) {
    return c.vendor.note.find("its kernel is ") != c.vendor.note.npos;
}

std::string old_release_of(const results::result& c, std::string_view date) {
    return report::old_release(c.vendor.name, c.vendor.version, date);
}

// The name, and the precision where it is less than the data's: that is another product. So is one
// by a library of years ago, or by a kernel that the library chose badly.
std::string title(const results::result& c, std::size_t columns, std::string_view date) {
    const std::string computes_in = c.computes_in.substr(0, c.computes_in.find_first_of(" ,"));
    const bool full = computes_in == c.dtype || computes_in == "f32" || computes_in == "i32";
    std::string mark = full ? "" : " (" + computes_in + ")";
    const std::string aged = report::age_mark(old_release_of(c, date));
    mark += aged;
    if (full && aged.empty() && has_a_lesser_kernel(c))
        mark = " (" + shortened(c.vendor.kernel, 8) + "!)";
    return shortened_middle(c.implementation, columns - mark.size()) + mark;
}

// Letters that follow each other as their ends: where little can be told apart, groups are long.
std::string short_group(const std::string& group) {
    std::string text;
    for (std::size_t first = 0; first < group.size();) {
        std::size_t last = first;
        while (last + 1 < group.size() && group[last + 1] == group[last] + 1) ++last;
        if (last - first > 2)
            text += {group[first], '-', group[last]};
        else
            text += group.substr(first, last - first + 1);
        first = last + 1;
    }
    return text;
}

std::string group_of(const results::result& c) {
    return short_group(c.group) + (c.few_trials ? " *" : "");
}

// Where lines have fewer than 80 columns, tables have neither shares of the roofline nor groups.
bool is_narrow() {
    return terminal_columns() < full_columns;
}

// What is left for names when every row is to end within the line.
std::size_t columns_for_names(rows ranked) {
    constexpr std::size_t fewest = 18;
    constexpr std::size_t beside_in_narrow = 42;
    if (is_narrow())
        return std::clamp(terminal_columns(), fewest + beside_in_narrow,
                          name_columns + beside_in_narrow) -
               beside_in_narrow;
    std::size_t longest = group_columns;
    for (const results::result* c : ranked) longest = std::max(longest, group_of(*c).size());
    return std::max(fewest, name_columns + group_columns - longest);
}

bool has_interval(const results::result* c) {
    return results::bounded(c->ci95_gflops);
}

table_of table_for(rows ranked, std::string date) {
    double largest = 0;
    table_of t = {columns_for_names(ranked), report::unit_for(0), 0, 0, std::move(date)};
    for (const results::result* c : ranked) {
        largest = std::max(largest, c->median_gflops);
        double& highest = on_cpu(c) ? t.cpu_roofline : t.gpu_roofline;
        highest = std::max(highest, c->roofline_gflops);
    }
    t.unit = report::unit_for(largest);
    return t;
}

// What was measured, without what follows from it.
std::string figure(const results::result& c, const table_of& t) {
    const double roof = t.roofline_for(c);
    const std::string share = roof > 0 ? fmt::format("{:.1f}", 100 * c.median_gflops / roof) : "-";
    return fmt::format("{:<{}} {:>7} {:>9}{}", title(c, t.name_columns, t.date), t.name_columns,
                       amount(c.median_gflops / t.unit.gflops), spread(c),
                       is_narrow() ? "" : fmt::format(" {:>5}", share));
}

std::string heads(rows ranked, const results::comparison& compared, const table_of& t) {
    // Rows without an interval have the range of their trials in its place.
    const char* const width = std::ranges::all_of(ranked, has_interval) ? "95 % CI" : "range";
    const std::string line =
        fmt::format("{:>2} {:<{}} {:>7} {:>9}{} {:>12} {:<7}{}\n", "#", "implementation",
                    t.name_columns, t.unit.name, width, is_narrow() ? "" : " %roof",
                    compared.base.empty() ? "time / best" : "time / base", "verdict",
                    is_narrow() ? "" : " group");
    return styled(line, style::faint);
}

// Nobody knows the place of a row that others disturbed, nor of one that might change places with
// it.
std::string row(const results::result& c, const results::result& other,
                const results::comparison& compared, const table_of& t) {
    const results::pair* p = compared.find(c.implementation, other.implementation);
    const std::string verdict = p != nullptr     ? verdict_on(*p, c.implementation)
                                : c.busy.empty() ? ""
                                                 : "busy";
    const std::string line = fmt::format(
        "{:>2} {} {:>12} {:<7}{}", c.rank > 0 ? std::to_string(c.rank) : "-", figure(c, t),
        &c == &other ? "" : behind(c, other, p), verdict, is_narrow() ? "" : " " + group_of(c));
    return styled(line, c.rank == 1 ? style::good : style::plain) + "\n";
}

std::string pairs(const results::comparison& compared) {
    if (compared.pairs.empty()) return {};
    std::string text = fmt::format("{}\n{}\nWelch: F({:.0f}, {:.1f}) = {:.4g}, p = {:.3g}\n",
                                   wrapped(compared.h0, 4), wrapped(compared.h1, 4), compared.df1,
                                   compared.df2, compared.f, compared.p);
    for (const results::pair& p : compared.pairs) {
        const std::string interval = results::bounded(p.ci95_ratio)
                                         ? fmt::format(" [{:.3f}, {:.3f}], p = {:.2g}",
                                                       p.ci95_ratio[0], p.ci95_ratio[1], p.p)
                                         : "";
        const std::string line = fmt::format(
            "{} {} {} {}: {:.3f}x{}", p.a, p.verdict,
            p.verdict == "tie" || p.verdict == "unclear" ? "with" : "than", p.b, p.ratio, interval);
        text += "  " + wrapped(line, 6) + "\n";
    }
    return text;
}

std::string note(const std::string& words) {
    return styled("   " + wrapped(words, 6), style::faint) + "\n";
}

// What the verdicts are of, and what would settle those that are unclear.
std::string scope_note(std::span<const results::result> results,
                       const results::comparison& compared) {
    const auto over = [&](std::string_view what) {
        return std::ranges::find(compared.pairs, what, &results::pair::interval_over) !=
               compared.pairs.end();
    };
    std::string text;
    if (over("one process"))
        text += note(std::string(report::within_one_process));
    else if (!compared.pairs.empty() && !over("processes"))
        text += note(std::string(report::too_few_for_an_interval));
    const compare::unsettled left = compare::unsettled_in(results, compared);
    if (left.pairs > 0)
        text += note(report::what_would_settle(left.pairs, left.hopeless, left.more_s));
    return text;
}

// What libraries say of how they work here; once each.
std::string library_notes(rows ranked, told_so_far& told) {
    std::string text;
    for (const results::result* c : ranked) {
        if (c->vendor.note.empty() ||
            !told.reasons.insert(c->implementation + c->vendor.note).second)
            continue;
        const std::string kernel =
            has_a_lesser_kernel(*c) ? " chose " + c->vendor.kernel : std::string();
        const std::string line =
            wrapped(fmt::format("{}{}: {}", c->implementation, kernel, c->vendor.note), 6);
        text += "   " + styled(line, kernel.empty() ? style::faint : style::bad) + "\n";
    }
    for (const results::result* c : ranked) {
        const std::string month = old_release_of(*c, told.date);
        if (month.empty() || !told.reasons.insert(c->vendor.name + month).second) continue;
        text +=
            styled("   " + wrapped(report::age_note(c->vendor.name, c->vendor.version, month), 6),
                   style::bad) +
            "\n";
    }
    return text;
}

// What is to be known of how rows ran, though verdicts rest on them.
std::string remarks(rows ranked) {
    std::string text;
    for (const results::result* c : ranked)
        if (!c->remark.empty()) text += note(c->implementation + ": " + c->remark);
    return text;
}

report::reach reach_of(const results::result& c) {
    const double fastest = c.flop / c.min_s / 1e9;
    const auto [low, high] =
        has_interval(&c) ? c.ci95_gflops : results::range{c.flop / c.max_s / 1e9, fastest};
    return report::reach_within(low, c.median_gflops, high, fastest, !c.busy.empty());
}

std::string in_red(const std::string& words) {
    return "   " + styled(wrapped(words, 6), style::bad) + "\n";
}

// Other work that found idle cores. All results of a case were timed beside each other, so one
// speaks for all.
std::string other_work(const results::result& c) {
    if (c.background_cpu_share.value_or(0) <= report::tolerable_other_work) return {};
    return in_red(fmt::format(
        "other work took {:.0f} % of the processors' time meanwhile: products on several threads "
        "suffer most, so measure again without it",
        100 * *c.background_cpu_share));
}

// What others did to rows of this case, after what is known all the same.
std::string disturbance(rows ranked) {
    const auto first = std::ranges::find_if(ranked, [](const auto* c) { return !c->busy.empty(); });
    if (first == ranked.end()) return other_work(*ranked.front());
    std::vector<report::reach> all;
    for (const results::result* c : ranked) all.push_back(reach_of(*c));
    std::string text;
    if (const auto sure = report::certain_lead(all))
        text = styled("   " + wrapped(fmt::format("{} leads, at least {} as fast as {}",
                                                  ranked[sure->first]->implementation,
                                                  report::times(sure->at_least),
                                                  ranked[sure->next]->implementation),
                                      6),
                      style::good) +
               "\n";
    const std::string& busy = (*first)->busy;
    const bool alike = std::ranges::all_of(ranked, [&](const auto* c) { return c->busy == busy; });
    const std::string why = report::disturbance_of((*first)->implementation, busy, alike);
    return text + in_red(report::left_out(why));
}

std::string few_note(rows ranked) {
    if (std::ranges::none_of(ranked, &results::result::few_trials)) return {};
    return styled("   * fewer than 20 trials: lean on it with care\n", style::faint);
}

}  // namespace

std::string ranking(std::span<const results::result> results, const results::comparison& compared,
                    bool all_pairs, told_so_far& told) {
    std::vector<const results::result*> ranked;
    for (const results::result& c : results)
        if (c.has_figure()) ranked.push_back(&c);
    // The fastest first; the rank, where it is known, says the same.
    std::ranges::stable_sort(ranked, std::ranges::greater{}, &results::result::median_gflops);
    const table_of t = table_for(ranked, told.date);
    std::string text = heading(compared, ranked, t, told.gpu);
    if (ranked.empty()) return text + "   nothing was timed\n" + not_run(results, told);
    text += heads(ranked, compared, t);
    const auto base =
        std::ranges::find(ranked, compared.base, [](const auto* c) { return c->implementation; });
    const results::result& other = base == ranked.end() ? *ranked.front() : **base;
    for (const results::result* c : ranked) text += row(*c, other, compared, t);
    text += disturbance(ranked) + scope_note(results, compared) + remarks(ranked) +
            library_notes(ranked, told) + not_run(results, told) + few_note(ranked);
    if (all_pairs) text += pairs(compared);
    return text;
}

}  // namespace carat::cli
