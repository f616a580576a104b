// carat report: a results file as an HTML page, Markdown, CSV, or tables for a paper.
#include "lab/report/report.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

namespace {

struct report_options {
    std::string input, output, tables;
    bool markdown = false, csv = false;
};

// To the file asked for, or to the terminal.
void deliver(const std::string& text, const std::string& output) {
    if (output.empty()) {
        fmt::print("{}", text);
        return;
    }
    results::write_whole(output, text);
    fmt::print("wrote {}\n", output);
}

int report(const report_options& o) {
    const results::document doc = results::load(o.input);
    if (o.csv) {
        deliver(results::csv(doc), o.output);
    } else if (o.markdown) {
        deliver(report::markdown(results::to_json(doc)), o.output);
    } else if (!o.tables.empty()) {
        const auto form =
            o.tables == "latex" ? report::table_form::latex : report::table_form::markdown;
        deliver(report::tables(results::to_json(doc), form), o.output);
    } else {
        deliver(report::html(results::to_json(doc)), o.output.empty() ? "report.html" : o.output);
    }
    return success;
}

}  // namespace

void add_report(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("report", "a results file as HTML, Markdown or CSV");
    auto o = std::make_shared<report_options>();
    sub->add_option("results", o->input, "a file written by carat bench --json")->required();
    sub->add_option("-o,--output", o->output,
                    "the file to write (default: report.html; other forms go to the terminal)");
    auto* markdown = sub->add_flag("--markdown", o->markdown, "the report as Markdown");
    auto* csv = sub->add_flag("--csv", o->csv, "one row per trial")->excludes(markdown);
    sub->add_option("--tables", o->tables,
                    "every table alone, for papers: markdown or latex (booktabs)")
        ->check(CLI::IsMember({"markdown", "latex"}))
        ->excludes(markdown)
        ->excludes(csv);
    sub->footer(
        "Examples:\n  carat report out.json -o out.html\n  carat report out.json --markdown\n"
        "  carat report out.json --tables latex -o tables.tex");
    sub->callback([o, &chosen] { chosen = [o] { return report(*o); }; });
}

}  // namespace carat::cli
