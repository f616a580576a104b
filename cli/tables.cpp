#include "cli/tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "cli/terminal.hpp"
#include "lab/report/age.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"
#include "lab/session/settle.hpp"

namespace carat::cli {

namespace {

constexpr std::size_t name_columns = 25;  // fewer where groups are longer
constexpr std::size_t group_columns = 6;

// At least three digits that mean something, and never more than a median deserves.
std::string gflops(double value) {
    if (value >= 1000) return fmt::format("{:.0f}", value);
    if (value >= 100) return fmt::format("{:.1f}", value);
    return fmt::format("{:.{}f}", value, value >= 1 ? 2 : 3);
}

std::string factor(double value) {
    if (value >= 9999.5) return fmt::format("{:.0e}", value);
    return fmt::format("{:.{}f}", value,
                       value < 1.9995  ? 3
                       : value < 9.995 ? 2
                       : value < 99.95 ? 1
                                       : 0);
}

// Of a median: its interval's half width, or else how far its trials lie below and above it.
std::string spread(const results::result& c) {
    if (results::bounded(c.ci95_gflops)) {
        const double half = (c.ci95_gflops[1] - c.ci95_gflops[0]) / 2;
        return fmt::format("\u00b1{:.2g}%", 100 * half / c.median_gflops);
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

std::string heading(const results::comparison& c, const results::result& best) {
    std::string text = fmt::format("{} {}, {} thread{}", c.dtype, sized(c.asked, c.m, c.n, c.k),
                                   c.threads, c.threads == 1 ? "" : "s");
    if (best.roofline_gflops > 0)
        text += fmt::format("; roofline {} GFLOP/s ({})", gflops(best.roofline_gflops), best.bound);
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

// What is left for names when every row is to end within the line.
std::size_t columns_for_names(std::span<const results::result* const> ranked) {
    constexpr std::size_t fewest = 18;
    std::size_t longest = group_columns;
    for (const results::result* c : ranked) longest = std::max(longest, group_of(*c).size());
    return std::max(fewest, name_columns + group_columns - longest);
}

bool has_interval(const results::result* c) {
    return results::bounded(c->ci95_gflops);
}

// What was measured, without what follows from it.
std::string figure(const results::result& c, std::size_t columns, std::string_view date) {
    const std::string share =
        c.roofline_gflops > 0 ? fmt::format("{:.1f}", c.percent_of_roofline) : "-";
    return fmt::format("{:<{}} {:>7} {:>9} {:>5}", title(c, columns, date), columns,
                       gflops(c.median_gflops), spread(c), share);
}

// Rows without an interval have the range of their trials in its place.
std::string figure_heads(std::span<const results::result* const> rows, std::size_t columns) {
    return fmt::format("{:<{}} {:>7} {:>9} {:>5}", "implementation", columns, "GFLOP/s",
                       std::ranges::all_of(rows, has_interval) ? "95 % CI" : "range", "%roof");
}

std::string row(const results::result& c, const results::result& other,
                const results::comparison& compared, std::size_t columns, std::string_view date) {
    const results::pair* p = compared.find(c.implementation, other.implementation);
    const std::string line =
        fmt::format("{:>2} {} {:>12} {:<7} {}", c.rank > 0 ? std::to_string(c.rank) : "-",
                    figure(c, columns, date), &c == &other ? "" : behind(c, other, p),
                    p == nullptr ? "" : verdict_on(*p, c.implementation), group_of(c));
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
    const session::unsettled left = session::unsettled_in(results, compared);
    if (left.pairs > 0)
        text += note(report::what_would_settle(left.pairs, left.hopeless, left.more_s));
    return text;
}

// All results of a case were timed beside each other, so one speaks for all.
std::string disturbance(const results::result& c) {
    if (c.background_cpu_share.value_or(0) <= report::tolerable_other_work) return {};
    const std::string line = fmt::format(
        "other work took {:.0f} % of the processors' time meanwhile: products on several threads "
        "suffer most, so measure again without it",
        100 * *c.background_cpu_share);
    return "   " + styled(wrapped(line, 6), style::bad) + "\n";
}

// What libraries say of how they work here; once each.
std::string library_notes(std::span<const results::result* const> rows, told_so_far& told) {
    std::string text;
    for (const results::result* c : rows) {
        if (c->vendor.note.empty() ||
            !told.reasons.insert(c->implementation + c->vendor.note).second)
            continue;
        const std::string kernel =
            has_a_lesser_kernel(*c) ? " chose " + c->vendor.kernel : std::string();
        const std::string line =
            wrapped(fmt::format("{}{}: {}", c->implementation, kernel, c->vendor.note), 6);
        text += "   " + styled(line, kernel.empty() ? style::faint : style::bad) + "\n";
    }
    for (const results::result* c : rows) {
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
std::string remarks(std::span<const results::result* const> rows) {
    std::string text;
    for (const results::result* c : rows)
        if (!c->remark.empty()) text += note(c->implementation + ": " + c->remark);
    return text;
}

// Figures in the order asked for: where others disturbed one, none is before another.
std::string unranked(std::span<const results::result* const> figures,
                     const results::comparison& compared, std::string_view date) {
    std::string text = heading(compared, *figures.front());
    text += styled("   " + figure_heads(figures, name_columns) + "\n", style::faint);
    for (const results::result* c : figures) text += "   " + figure(*c, name_columns, date) + "\n";
    const auto disturbed =
        std::ranges::find_if(figures, [](const auto* c) { return !c->busy.empty(); });
    const std::string& busy = (*disturbed)->busy;
    const bool alike = std::ranges::all_of(figures, [&](const auto* c) { return c->busy == busy; });
    const std::string why = report::disturbance_of((*disturbed)->implementation, busy, alike);
    return text + "   " + styled(wrapped(report::no_verdict(why), 6), style::bad) + "\n";
}

std::string few_note(std::span<const results::result* const> ranked) {
    if (std::ranges::none_of(ranked, &results::result::few_trials)) return {};
    return styled("   * fewer than 20 trials: lean on it with care\n", style::faint);
}

}  // namespace

std::string ranking(std::span<const results::result> results, const results::comparison& compared,
                    bool all_pairs, told_so_far& told) {
    std::vector<const results::result*> ranked;
    for (const results::result& c : results)
        if (c.has_figure()) ranked.push_back(&c);
    if (ranked.empty())
        return heading(compared, results::result{}) + "   nothing was timed\n" +
               not_run(results, told);
    if (results::first_disturbed(results) != nullptr)
        return unranked(ranked, compared, told.date) + remarks(ranked) +
               library_notes(ranked, told) + not_run(results, told);

    std::ranges::sort(ranked, {}, &results::result::rank);
    const std::size_t columns = columns_for_names(ranked);
    std::string text = heading(compared, *ranked.front());
    text += styled(
        fmt::format("{:>2} {} {:>12} {:<7} {}\n", "#", figure_heads(ranked, columns),
                    compared.base.empty() ? "time / best" : "time / base", "verdict", "group"),
        style::faint);
    const auto base =
        std::ranges::find(ranked, compared.base, [](const auto* c) { return c->implementation; });
    const results::result& other = base == ranked.end() ? *ranked.front() : **base;
    for (const results::result* c : ranked) text += row(*c, other, compared, columns, told.date);
    text += scope_note(results, compared) + remarks(ranked) + library_notes(ranked, told) +
            not_run(results, told);
    text += disturbance(*ranked.front()) + few_note(ranked);
    if (all_pairs) text += pairs(compared);
    return text;
}

}  // namespace carat::cli
