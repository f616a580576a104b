// carat report: a results file as an HTML page, Markdown or CSV.
#include "lab/report/report.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

namespace {

struct report_options {
    std::string input, output = "report.html";
    bool markdown = false, csv = false;
};

int report(const report_options& o) {
    const results::document doc = results::load(o.input);
    if (o.csv) {
        fmt::print("{}", results::csv(doc));
        return success;
    }
    if (o.markdown) {
        fmt::print("{}", report::markdown(results::to_json(doc)));
        return success;
    }
    results::write_whole(o.output, report::html(results::to_json(doc)));
    fmt::print("wrote {}\n", o.output);
    return success;
}

}  // namespace

void add_report(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("report", "a results file as HTML, Markdown or CSV");
    auto o = std::make_shared<report_options>();
    sub->add_option("results", o->input, "a file written by carat bench --json")->required();
    sub->add_option("-o,--output", o->output, "the HTML file to write")->capture_default_str();
    auto* markdown = sub->add_flag("--markdown", o->markdown, "print Markdown instead");
    sub->add_flag("--csv", o->csv, "print one row per trial instead")->excludes(markdown);
    sub->footer(
        "Examples:\n  carat report out.json -o out.html\n  carat report out.json --markdown");
    sub->callback([o, &chosen] { chosen = [o] { return report(*o); }; });
}

}  // namespace carat::cli
