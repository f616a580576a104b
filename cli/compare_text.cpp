#include "cli/compare_text.hpp"

#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "cli/terminal.hpp"
#include "lab/report/table.hpp"
#include "lab/report/words.hpp"
#include "lab/rows/implementation.hpp"

namespace carat::cli {

namespace {

using comparing::change;

style style_of(const std::string& verdict) {
    if (verdict == "slower") return style::bad;
    return verdict == "faster" ? style::good : style::plain;
}

std::string size_of(const results::result& c) {
    const std::string size =
        c.m == c.n && c.n == c.k ? fmt::format("{}", c.m) : fmt::format("{}x{}x{}", c.m, c.n, c.k);
    const std::string stored = c.layout == "nn" ? size : size + " " + c.layout;
    const std::string words = rows::describe(c.asked);
    return words.empty() ? stored : stored + " " + words;
}

// Takes five characters, however large it is: two noisy trials may put an end in the thousands.
std::string ratio_text(double x) {
    if (x >= 99999.5) return fmt::format("{:.0e}", x);
    return fmt::format("{:.{}f}", x, x < 9.9995 ? 3 : x < 99.995 ? 2 : x < 999.95 ? 1 : 0);
}

// "[0.981,1.004]", or nothing where there is none.
std::string interval_text(const results::range& ends) {
    return results::bounded(ends) ? fmt::format("[{},{}]", ratio_text(ends[0]), ratio_text(ends[1]))
                                  : "";
}

std::string reason_of(const change& c) {
    if (c.verdict == "lost") return "no figure any more: " + c.reason;
    return c.verdict == "busy" ? report::no_verdict(c.reason) : c.reason;
}

std::string line_of(const change& c) {
    const results::result& of = *c.before;
    if (!c.reason.empty()) {
        const std::string line = fmt::format("{} {} {}: {}", of.implementation, of.dtype,
                                             sized(of.asked, of.m, of.n, of.k), reason_of(c));
        return styled(wrapped(line, 4), style::bad) + "\n";
    }
    const std::string line = fmt::format(
        "{:<28} {:<4} {:>12} {:>2} {:>6} {} {}", shortened_middle(of.implementation, 28), of.dtype,
        size_of(of), of.on_cpu() ? std::to_string(of.threads) : "-", ratio_text(c.ratio),
        interval_text(c.ci95_ratio), c.verdict);
    return styled(folded(line, 4), style_of(c.verdict)) + "\n";
}

std::string counts_text(const comparing::changes& found) {
    std::string text = report::counted(found.rows.size(), "case") + " compared";
    const char* separator = ": ";
    for (const auto& [verdict, words] : {std::pair{"faster", "faster"},
                                         {"slower", "slower"},
                                         {"tie", "a tie"},
                                         {"unclear", "unclear"},
                                         {"lost", "without a figure"},
                                         {"missing", "missing"},
                                         {"busy", "on a busy machine"},
                                         {"one process", "of too few processes"}}) {
        const std::size_t count = found.count(verdict);
        if (count == 0 && std::string_view(verdict) != "faster" &&
            std::string_view(verdict) != "slower")
            continue;
        text += fmt::format("{}{} {}", separator, count, words);
        separator = ", ";
    }
    return text;
}

// "the geometric mean over 12 cases is 1.02 [1.01, 1.04]"
std::string over_cases(const comparing::changes& found) {
    if (!found.over_cases) return {};
    const statistics::set_ratio& set = *found.over_cases;
    const std::string interval = std::isfinite(set.ci.upper)
                                     ? fmt::format(" [{:.3f}, {:.3f}]", set.ci.lower, set.ci.upper)
                                     : "";
    return fmt::format("the geometric mean over {} is {:.3f}{}", report::counted(set.cases, "case"),
                       set.geometric_mean, interval);
}

std::string failures(const comparing::changes& found) {
    if (found.failures.empty()) return "pass";
    return "fail: " + report::listed(found.failures, found.failures.size());
}

std::vector<std::string> row_of(const change& c) {
    const results::result& of = *c.before;
    const bool measured = c.ratio > 0;
    return {"`" + report::unquoted(of.implementation) + "`",
            fmt::format("{} {}{}", of.dtype, size_of(of),
                        of.on_cpu() ? fmt::format(", T{}", of.threads) : ""),
            report::throughput(of.median_gflops),
            measured ? report::throughput(c.after->median_gflops) : "-",
            measured ? ratio_text(c.ratio) : "-",
            results::bounded(c.ci95_ratio) ? interval_text(c.ci95_ratio) : "-",
            c.reason.empty() ? c.verdict : reason_of(c)};
}

std::string markdown_table(const comparing::changes& found, bool all) {
    report::table t{"",
                    {{"implementation", report::align::left},
                     {"case", report::align::left},
                     {"before"},
                     {"after"},
                     {"ratio"},
                     {"95 % CI"},
                     {"verdict", report::align::left}},
                    {},
                    {}};
    for (const change& c : found.rows)
        if (all || (c.verdict != "tie" && c.verdict != "unclear")) t.rows.push_back(row_of(c));
    return t.rows.empty() ? "" : report::markdown(t);
}

}  // namespace

std::string changes_text(const comparing::changes& found, const std::string& before,
                         const std::string& after) {
    std::string text;
    for (const std::string& note : found.notes) text += wrapped("note: " + note, 6) + "\n";
    const std::string heads = fmt::format("{:<28} {:<4} {:>12} {:>2} {:>6} {}", "implementation",
                                          "type", "size", "T", "ratio", "95 % CI        verdict");
    text += styled(folded(heads, 4), style::faint) + "\n";
    for (const change& c : found.rows) text += line_of(c);
    text += wrapped(counts_text(found) + "; ratio is " + after + " over " + before, 4) + "\n";
    if (const std::string set = over_cases(found); !set.empty()) text += wrapped(set, 4) + "\n";
    if (found.only_after > 0)
        text += wrapped(fmt::format("not compared: {} only in {}",
                                    report::counted(found.only_after, "case"), after),
                        4) +
                "\n";
    return text +
           styled(wrapped(failures(found), 4), found.failures.empty() ? style::good : style::bad) +
           "\n";
}

std::string changes_markdown(const nlohmann::json& regression, const comparing::changes& found) {
    const auto origin = [&](const char* which) {
        const nlohmann::json& of = regression[which];
        return fmt::format("{} ({})", report::plain(of["file"]), report::plain(of["revision"]));
    };
    std::string text =
        fmt::format("**{}**\n\n{} over {}: {}; {}.\n\n", report::plain(failures(found)),
                    origin("after"), origin("before"), counts_text(found), over_cases(found));
    for (const std::string& note : found.notes) text += "- " + report::plain(note) + "\n";
    if (!found.notes.empty()) text += "\n";
    text += markdown_table(found, false);
    text += "<details><summary>Every case</summary>\n\n" + markdown_table(found, true) +
            "</details>\n\n";
    return text + fmt::format(
                      "Ratios of throughput; a verdict takes the whole interval beyond {:g} "
                      "%, all verdicts together at {:g} %.\n",
                      100 * regression["margin"].get<double>(),
                      100 * (1 - regression["alpha"].get<double>()));
}

std::string dumped(const nlohmann::json& document) {
    return document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace carat::cli
