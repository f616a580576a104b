// carat compare: what changed between two results files, and is it real?
#include <algorithm>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "lab/results/files.hpp"
#include "lab/session/analyse.hpp"

namespace carat::cli {

namespace {

struct compare_options {
    std::string before, after;
    double margin = 0.02, alpha = 0.05;
};

bool same_case(const results::cell& a, const results::cell& b) {
    return a.implementation == b.implementation && a.dtype == b.dtype && a.m == b.m && a.n == b.n &&
           a.k == b.k && a.layout == b.layout && a.threads == b.threads;
}

void warn_of_differences(const results::document& before, const results::document& after) {
    for (const char* key : {"cpu_model", "cores", "isa_in_use"}) {
        const auto a = before.machine.value(key, nlohmann::json());
        const auto b = after.machine.value(key, nlohmann::json());
        if (a != b)
            fmt::print("note: {} was {}, now {}: the change may be the machine's\n", key, a.dump(),
                       b.dump());
    }
    if (before.settings.value("distribution", "") != after.settings.value("distribution", ""))
        fmt::print("note: the data were drawn differently\n");
}

style style_of(const std::string& verdict) {
    if (verdict == "slower") return style::bad;
    return verdict == "faster" ? style::good : style::plain;
}

void print_row(const results::cell& c, const session::change& change) {
    const std::string size =
        c.m == c.n && c.n == c.k ? fmt::format("{}", c.m) : fmt::format("{}x{}x{}", c.m, c.n, c.k);
    const std::string line =
        fmt::format("{:<30} {:<4} {:>12} {:>2} {:>6.3f} [{:.3f},{:.3f}] {}",
                    shortened(c.implementation, 30), c.dtype, size, c.threads, change.ratio,
                    change.ci95_ratio[0], change.ci95_ratio[1], change.verdict);
    fmt::print("{}\n", styled(line, style_of(change.verdict)));
}

struct tally {
    int compared = 0, slower = 0, faster = 0, lost = 0;
};

void compare_cell(const results::cell& old, const results::document& after,
                  const session::analysis_options& how, tally& t) {
    if (!old.ranked()) return;
    const auto now = std::ranges::find_if(
        after.cells, [&](const results::cell& c) { return same_case(old, c); });
    if (now == after.cells.end()) return;
    ++t.compared;
    if (!now->ranked()) {
        ++t.lost;
        fmt::print("{}\n",
                   styled(fmt::format("{} {} {}x{}x{}: no figure any more: {}", old.implementation,
                                      old.dtype, old.m, old.n, old.k, now->reason),
                          style::bad));
        return;
    }
    const session::change change = session::compare_cells(old, *now, how);
    t.slower += change.verdict == "slower" ? 1 : 0;
    t.faster += change.verdict == "faster" ? 1 : 0;
    print_row(old, change);
}

int compare(const compare_options& o) {
    const results::document before = results::load(o.before);
    const results::document after = results::load(o.after);
    warn_of_differences(before, after);
    fmt::print("{}\n", styled(fmt::format("{:<30} {:<4} {:>12} {:>2} {:>6} {}", "implementation",
                                          "type", "size", "T", "ratio", "95 % CI        verdict"),
                              style::faint));
    tally t;
    for (const results::cell& old : before.cells)
        compare_cell(old, after, {o.alpha, o.margin, 1}, t);
    if (t.compared == 0)
        throw error(error_code::invalid_argument,
                    o.before + " and " + o.after + " have no measured case in common");
    fmt::print("{} compared: {} faster, {} slower, {} without a figure; ratio is {} over {}\n",
               t.compared, t.faster, t.slower, t.lost, o.after, o.before);
    return t.slower + t.lost > 0 ? bad_answer : success;
}

}  // namespace

void add_compare(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand(
        "compare", "two results files: what became faster or slower; exit 1 on a regression");
    auto o = std::make_shared<compare_options>();
    sub->add_option("before", o->before, "results file")->required();
    sub->add_option("after", o->after, "results file")->required();
    sub->add_option("--margin", o->margin, "differences within this share are a tie")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    sub->add_option("--alpha", o->alpha, "level of the test")
        ->check(CLI::Range(1e-12, 0.5))
        ->capture_default_str();
    sub->footer("Example:\n  carat compare main.json branch.json --margin 0.05 || echo slower");
    sub->callback([o, &chosen] { chosen = [o] { return compare(*o); }; });
}

}  // namespace carat::cli
