#include "cli/tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "cli/terminal.hpp"
#include "lab/compare/effort.hpp"
#include "lab/report/age.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/lead.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::cli {

namespace {

constexpr std::size_t name_columns = 25;  // fewer where groups are longer
constexpr std::size_t group_columns = 6;
constexpr std::size_t full_columns = 80;
constexpr std::size_t fewest_name_columns = 18;
constexpr std::size_t most_group_columns = name_columns + group_columns - fewest_name_columns;

// At least three digits that mean something, and never more than a median deserves.
std::string amount(double value) {
    if (value >= 1000) return fmt::format("{:.0f}", value);
    if (value >= 100) return fmt::format("{:.1f}", value);
    if (value < 0.1) return fmt::format("{:.2g}", value);
    return fmt::format("{:.{}f}", value, value >= 1 ? 2 : 3);
}

using report::measured_case;

// What the rows of a table have in common.
struct table_of {
    const measured_case& here;
    std::size_t name_columns;
    report::throughput_unit unit;
    std::string date;
};

std::string factor(double value) {
    if (value >= 9999.5) return fmt::format("{:.0e}", value);
    return fmt::format("{:.{}f}", value,
                       value < 1.9995  ? 3
                       : value < 9.995 ? 2
                       : value < 99.95 ? 1
                                       : 0);
}

// A median's spread: its interval's half width, or else how far its trials lie below and above it.
// A width beyond the median itself says by which factor the ends differ.
std::string spread(const results::result& c) {
    if (report::has_interval(c)) {
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

// How many times as long as the base it takes, where possible as an interval.
std::string behind(const report::ranked_row& row) {
    if (!row.pair || !results::bounded(row.pair->ci95_ratio)) return factor(row.times) + "x";
    return fmt::format("{}-{}x", factor(1 / row.pair->ci95_ratio[1]),
                       factor(1 / row.pair->ci95_ratio[0]));
}

// "2 threads", the GPU where all ran there, or both.
std::string place_of(const measured_case& here, const std::string& gpu) {
    const std::string cpu = report::threads(here.threads);
    if (std::ranges::all_of(here.ranked, [](const auto* c) { return c->on_cpu(); })) return cpu;
    return here.on_gpu ? gpu : cpu + " and " + gpu;
}

std::string rooflines(const measured_case& here) {
    std::string text;
    for (const bool of_cpu : {true, false}) {
        const results::result* highest = report::highest_roofline(here, of_cpu);
        if (highest == nullptr) continue;
        const report::throughput_unit unit = report::unit_for(highest->roofline_gflops);
        text +=
            fmt::format("{} {} {} ({})", text.empty() ? "; roofline" : ",",
                        amount(highest->roofline_gflops / unit.gflops), unit.name, highest->bound);
    }
    return text;
}

std::string heading(const measured_case& here, const std::string& gpu) {
    const std::string text = fmt::format(
        "{} {}, {}{}", here.dtype, rows::sized(here.comparison->asked, here.m, here.n, here.k),
        place_of(here, gpu), rooflines(here));
    return styled(text, style::strong) + "\n";
}

// A library that takes this machine for a lesser one: the words of its note on its kernel.
bool has_a_lesser_kernel(const results::result& c) {
    return c.vendor.note.find("its kernel is ") != c.vendor.note.npos;
}

// The name, and the precision where it is less than the data's: that is another product. So is one
// by a library of years ago, or by a kernel that the library chose badly.
std::string title(const results::result& c, std::size_t columns, std::string_view date) {
    const std::string computes_in = c.computes_in.substr(0, c.computes_in.find_first_of(" ,"));
    const bool full = computes_in == c.dtype || computes_in == "f32" || computes_in == "i32";
    std::string mark = full ? "" : " (" + computes_in + ")";
    const std::string aged = report::age_mark(report::old_release(c, date));
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

std::string group_of(const report::ranked_row& row) {
    const std::string few = row.of->few_trials ? " *" : "";
    return shortened(short_group(row.group), most_group_columns - few.size()) + few;
}

// Where lines have fewer than 80 columns, tables have neither shares of the roofline nor groups.
bool is_narrow() {
    return terminal_columns() < full_columns;
}

// What is left for names when every row is to end within the line.
std::size_t columns_for_names(const std::vector<report::ranked_row>& rows) {
    constexpr std::size_t beside_in_narrow = 42;
    if (is_narrow())
        return std::clamp(terminal_columns(), fewest_name_columns + beside_in_narrow,
                          name_columns + beside_in_narrow) -
               beside_in_narrow;
    std::size_t longest = group_columns;
    for (const report::ranked_row& row : rows) longest = std::max(longest, group_of(row).size());
    return name_columns + group_columns - std::min(longest, most_group_columns);
}

// What was measured, without what follows from it.
std::string figure(const report::ranked_row& row, const table_of& t) {
    const results::result& c = *row.of;
    const std::string share = row.percent > 0 ? fmt::format("{:.1f}", row.percent) : "-";
    return fmt::format("{:<{}} {:>7} {:>9}{}", title(c, t.name_columns, t.date), t.name_columns,
                       amount(c.median_gflops / t.unit.gflops), spread(c),
                       is_narrow() ? "" : fmt::format(" {:>5}", share));
}

std::string heads(const table_of& t) {
    // Rows without an interval have the range of their trials in its place.
    const bool all_have =
        std::ranges::all_of(t.here.ranked, [](const auto* c) { return report::has_interval(*c); });
    const char* const width = all_have ? "95 % CI" : "range";
    const std::string line =
        fmt::format("{:>2} {:<{}} {:>7} {:>9}{} {:>12} {:<7}{}\n", "#", "implementation",
                    t.name_columns, t.unit.name, width, is_narrow() ? "" : " %roof",
                    t.here.comparison->base.empty() ? "time / best" : "time / base", "verdict",
                    is_narrow() ? "" : " group");
    return styled(line, style::faint);
}

std::string line_of(const report::ranked_row& row, const table_of& t) {
    const std::string line = fmt::format(
        "{:>2} {} {:>12} {:<7}{}", row.rank > 0 ? std::to_string(row.rank) : "-", figure(row, t),
        row.is_base ? "" : behind(row), row.verdict, is_narrow() ? "" : " " + group_of(row));
    return styled(line, row.rank == 1 ? style::good : style::plain) + "\n";
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
    if (over(report::one_process))
        text += note(std::string(report::within_one_process));
    else if (!compared.pairs.empty() && !over("processes"))
        text += note(std::string(report::too_few_for_an_interval));
    const comparing::unsettled left = comparing::unsettled_in(results, compared);
    if (left.pairs > 0)
        text += note(report::what_would_settle(left.pairs, left.hopeless, left.more_s));
    return text;
}

// What libraries say of how they work here; once each.
std::string library_notes(const measured_case& here, told_so_far& told) {
    std::string text;
    for (const results::result* c : here.ranked) {
        if (c->vendor.note.empty() ||
            !told.reasons.insert(c->implementation + c->vendor.note).second)
            continue;
        const std::string kernel =
            has_a_lesser_kernel(*c) ? " chose " + c->vendor.kernel : std::string();
        const std::string line =
            wrapped(fmt::format("{}{}: {}", c->implementation, kernel, c->vendor.note), 6);
        text += "   " + styled(line, kernel.empty() ? style::faint : style::bad) + "\n";
    }
    for (const results::result* c : here.ranked) {
        const std::string month = report::old_release(*c, told.date);
        if (month.empty() || !told.reasons.insert(c->vendor.name + month).second) continue;
        text +=
            styled("   " + wrapped(report::age_note(c->vendor.name, c->vendor.version, month), 6),
                   style::bad) +
            "\n";
    }
    return text;
}

// What is to be known of how rows ran, though verdicts rest on them.
std::string remarks(const measured_case& here) {
    std::string text;
    for (const results::result* c : here.ranked)
        if (!c->remark.empty()) text += note(c->implementation + ": " + c->remark);
    return text;
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
std::string disturbance(const measured_case& here) {
    if (here.busy.empty()) return other_work(*here.ranked.front());
    std::string text;
    if (const auto sure = report::certain_lead(here))
        text = styled("   " + wrapped(fmt::format("{} leads, at least {} as fast as {}",
                                                  here.ranked.front()->implementation,
                                                  report::times(sure->at_least),
                                                  sure->next->implementation),
                                      6),
                      style::good) +
               "\n";
    return text + in_red(report::left_out(here.busy));
}

std::string few_note(const measured_case& here) {
    if (std::ranges::none_of(here.ranked, &results::result::few_trials)) return {};
    return styled("   * fewer than 20 trials: treat it with care\n", style::faint);
}

}  // namespace

std::string ranking(std::span<const results::result> results, const results::comparison& compared,
                    bool all_pairs, told_so_far& told) {
    const measured_case here = report::case_of(results, compared);
    std::string text = heading(here, told.gpu);
    if (here.ranked.empty()) return text + "   nothing was timed\n" + not_run(results, told);
    const std::vector<report::ranked_row> rows = report::rows_of(here, compared.base);
    const table_of t{here, columns_for_names(rows),
                     report::unit_for(here.ranked.front()->median_gflops), told.date};
    text += heads(t);
    for (const report::ranked_row& row : rows) text += line_of(row, t);
    text += disturbance(here) + scope_note(results, compared) + remarks(here) +
            library_notes(here, told) + not_run(results, told) + few_note(here);
    if (all_pairs) text += pairs(compared);
    return text;
}

}  // namespace carat::cli
