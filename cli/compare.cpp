// carat compare: what changed between two results files, and is it real?
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "files/output.hpp"
#include "lab/report/report.hpp"
#include "lab/report/words.hpp"
#include "lab/results/files.hpp"
#include "lab/session/analyse.hpp"

namespace carat::cli {

namespace {

struct compare_options {
    std::string before, after, report;
    double margin = 0.02, alpha = 0.05;
};

bool same_case(const results::result& a, const results::result& b) {
    return a.implementation == b.implementation && a.dtype == b.dtype && a.m == b.m && a.n == b.n &&
           a.k == b.k && a.layout == b.layout && a.threads == b.threads;
}

// What else changed between the two, beside the code.
std::vector<std::string> differences(const results::document& before,
                                     const results::document& after) {
    std::vector<std::string> notes;
    for (const char* key : {"cpu_model", "cores", "isa_in_use"}) {
        const auto a = before.machine.value(key, nlohmann::json());
        const auto b = after.machine.value(key, nlohmann::json());
        if (a != b)
            notes.push_back(fmt::format("{} was {}, now {}: the change may be the machine's", key,
                                        a.dump(), b.dump()));
    }
    const auto set_apart = [&](const char* key) {
        return before.settings.value(key, nlohmann::json()) !=
               after.settings.value(key, nlohmann::json());
    };
    if (set_apart("distribution")) notes.emplace_back("the data were drawn differently");
    if (set_apart("inputs"))
        notes.emplace_back("inputs were rotated in one and hot in the other: caches differ");
    return notes;
}

style style_of(const std::string& verdict) {
    if (verdict == "slower") return style::bad;
    return verdict == "faster" ? style::good : style::plain;
}

// One case of both files; no `change` where it has no figure any more, or one of a busy machine.
struct row {
    const results::result* before = nullptr;
    const results::result* after = nullptr;
    std::optional<session::change> change;

    [[nodiscard]] std::string verdict() const {
        if (change) return change->verdict;
        return after->has_figure() ? "busy" : "lost";
    }
    // Why there is no change.
    [[nodiscard]] std::string reason() const {
        if (!after->has_figure()) return after->reason;
        return report::no_verdict(before->busy.empty() ? after->busy : before->busy);
    }
};

std::string size_of(const results::result& c) {
    const std::string size =
        c.m == c.n && c.n == c.k ? fmt::format("{}", c.m) : fmt::format("{}x{}x{}", c.m, c.n, c.k);
    return c.layout == "nn" ? size : size + " " + c.layout;
}

// In five characters, whatever it is: of two noisy trials the interval's end may be thousands.
std::string ratio_text(double x) {
    if (x >= 99999.5) return fmt::format("{:.0e}", x);
    return fmt::format("{:.{}f}", x, x < 9.9995 ? 3 : x < 99.995 ? 2 : x < 999.95 ? 1 : 0);
}

void print(const row& r) {
    const results::result& c = *r.before;
    if (!r.change) {
        const char* const what = r.verdict() == "lost" ? "no figure any more: " : "";
        const std::string line = fmt::format("{} {} {}x{}x{}: {}{}", c.implementation, c.dtype, c.m,
                                             c.n, c.k, what, r.reason());
        fmt::print("{}\n", styled(wrapped(line, 4), style::bad));
        return;
    }
    const std::string line =
        fmt::format("{:<28} {:<4} {:>12} {:>2} {:>6} [{},{}] {}",
                    shortened_middle(c.implementation, 28), c.dtype, size_of(c), c.threads,
                    ratio_text(r.change->ratio), ratio_text(r.change->ci95_ratio[0]),
                    ratio_text(r.change->ci95_ratio[1]), r.change->verdict);
    fmt::print("{}\n", styled(line, style_of(r.change->verdict)));
}

// Measured cases of one file that the other one doesn't have.
std::ptrdiff_t absent(const results::document& of, const results::document& from) {
    return std::ranges::count_if(of.results, [&](const results::result& c) {
        return c.has_figure() &&
               std::ranges::none_of(
                   from.results, [&](const results::result& other) { return same_case(c, other); });
    });
}

std::vector<row> rows_of(const results::document& before, const results::document& after,
                         const session::analysis_options& how) {
    std::vector<row> rows;
    for (const results::result& old : before.results) {
        if (!old.has_figure()) continue;
        const auto now = std::ranges::find_if(
            after.results, [&](const results::result& c) { return same_case(old, c); });
        if (now == after.results.end()) continue;
        row r{&old, &*now, {}};
        if (old.ranked() && now->ranked()) r.change = session::compare_results(old, *now, how);
        rows.push_back(std::move(r));
    }
    return rows;
}

std::ptrdiff_t counted(const std::vector<row>& rows, std::string_view verdict) {
    return std::ranges::count(rows, verdict, &row::verdict);
}

nlohmann::json end_of(double bound) {
    return std::isfinite(bound) ? nlohmann::json(bound) : nlohmann::json();
}

nlohmann::json to_json(const row& r) {
    const results::result& c = *r.before;
    nlohmann::json out = {{"implementation", c.implementation},
                          {"dtype", c.dtype},
                          {"m", c.m},
                          {"n", c.n},
                          {"k", c.k},
                          {"layout", c.layout},
                          {"threads", c.threads},
                          {"before_gflops", c.median_gflops},
                          {"verdict", r.verdict()}};
    if (!r.change) {
        out["reason"] = r.reason();
        return out;
    }
    out["after_gflops"] = r.after->median_gflops;
    out["ratio"] = r.change->ratio;
    out["ci95_ratio"] = {end_of(r.change->ci95_ratio[0]), end_of(r.change->ci95_ratio[1])};
    out["p"] = r.change->p;
    return out;
}

// The page of the later file, with what changed since the earlier one first.
std::string page(const compare_options& o, const results::document& before,
                 const results::document& after, const std::vector<row>& rows) {
    const auto origin = [](const std::string& file, const results::document& doc) {
        return nlohmann::json{{"file", std::filesystem::path(file).filename().string()},
                              {"revision", doc.revision},
                              {"date", doc.date}};
    };
    nlohmann::json changes = nlohmann::json::array();
    for (const row& r : rows) changes.push_back(to_json(r));
    nlohmann::json whole = results::to_json(after);
    whole["regression"] = {{"before", origin(o.before, before)},
                           {"after", origin(o.after, after)},
                           {"margin", o.margin},
                           {"alpha", o.alpha},
                           {"notes", differences(before, after)},
                           {"changes", std::move(changes)}};
    return report::html(whole);
}

int compare(const compare_options& o) {
    for (const std::string& input : {o.before, o.after})
        require_apart({{"results", input}, {"--report", o.report}});
    if (!o.report.empty()) files::require_writable(o.report);
    const results::document before = results::load(o.before);
    const results::document after =
        o.report.empty() ? results::load(o.after) : load_for_report(o.after);
    const std::vector<row> rows = rows_of(before, after, {o.alpha, o.margin, 1});
    if (rows.empty())
        throw error(error_code::invalid_argument,
                    o.before + " and " + o.after + " have no measured case in common");
    for (const std::string& note : differences(before, after))
        fmt::print("{}\n", wrapped("note: " + note, 6));
    fmt::print("{}\n", styled(fmt::format("{:<28} {:<4} {:>12} {:>2} {:>6} {}", "implementation",
                                          "type", "size", "T", "ratio", "95 % CI        verdict"),
                              style::faint));
    std::ranges::for_each(rows, print);
    const auto slower = counted(rows, "slower"), lost = counted(rows, "lost");
    const auto busy = counted(rows, "busy");
    const std::string undecided = busy > 0 ? fmt::format(", {} without a verdict", busy) : "";
    fmt::print(
        "{}\n",
        wrapped(fmt::format("{} compared: {} faster, {} slower, {} without a figure{}; ratio is "
                            "{} over {}",
                            rows.size(), counted(rows, "faster"), slower, lost, undecided, o.after,
                            o.before),
                4));
    const auto gone = absent(before, after), fresh = absent(after, before);
    if (gone + fresh > 0)
        fmt::print("{}\n", wrapped(fmt::format("cases not compared: {} only in {}, {} only in {}",
                                               gone, o.before, fresh, o.after),
                                   4));
    if (!o.report.empty()) {
        files::write_whole(o.report, page(o, before, after, rows));
        fmt::print("wrote {}\n", o.report);
    }
    return slower + lost > 0 ? bad_answer : success;
}

}  // namespace

void add_compare(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand(
        "compare", "two results files: what became faster or slower; exit 1 on a regression");
    auto o = std::make_shared<compare_options>();
    sub->add_option("before", o->before, "results file")->required();
    sub->add_option("after", o->after, "results file")->required();
    sub->add_option("--margin", o->margin, "differences within this share are a tie")
        ->check(number(0.0, 1.0))
        ->capture_default_str();
    sub->add_option("--alpha", o->alpha, "level of the test")
        ->check(number(1e-12, 0.5))
        ->capture_default_str();
    sub->add_option("--report", o->report, "write the report of AFTER with every change as HTML")
        ->check(file_name());
    sub->footer(
        "Examples:\n  carat compare main.json branch.json --margin 0.05 || echo slower\n"
        "  carat compare main.json branch.json --report changes.html");
    sub->callback([o, &chosen] { chosen = [o] { return compare(*o); }; });
}

}  // namespace carat::cli
