// carat report: a results file as an HTML page, Markdown, CSV, or tables and charts for a paper.
#include "lab/report/report.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <malloc.h>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "lab/files/output.hpp"
#include "lab/report/charts.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

namespace {

struct report_options {
    std::string input, output, tables, charts;
    bool markdown = false, csv = false;
};

// Writes to the file that was named, or else to the terminal.
void deliver(const std::string& text, const std::string& output) {
    if (output.empty()) {
        fmt::print("{}", text);
        return;
    }
    files::write_whole(output, text);
    fmt::print("wrote {}\n", output);
}

// All of them are drawn before the first is written.
void draw(const std::string& page, const std::string& folder) {
    const std::vector<report::chart_file> all = report::charts(page);
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        throw error(error_code::invalid_argument,
                    fmt::format("--charts {}: the folder can't be made ({}): give one that can",
                                folder, failure.message()));
    for (const report::chart_file& chart : all) {
        const std::string path = (std::filesystem::path(folder) / chart.name).string();
        files::write_whole(path + ".svg", chart.svg);
        files::write_whole(path + ".png", chart.png);
        fmt::print("wrote {}.svg and .png\n", path);
    }
    if (all.empty()) fmt::print("no charts: the file holds no figure to draw\n");
}

// Small pieces that were freed are otherwise merged again with every large one: a fifth of the time
// of 10,000 cases (5.8 s became 4.7).
void forget_small_pieces() {
#ifdef M_MXFAST
    mallopt(M_MXFAST, 0);
#endif
}

int report(const report_options& o) {
    forget_small_pieces();
    require_apart({{"results", o.input}, {"--output", o.output}});
    const results::document whole = results::load(o.input);
    if (o.csv) {
        deliver(results::csv(whole), o.output);
    } else if (o.markdown) {
        deliver(report::markdown(whole), o.output);
    } else if (!o.tables.empty()) {
        const auto form =
            o.tables == "latex" ? report::table_form::latex : report::table_form::markdown;
        deliver(report::tables(whole, form), o.output);
    } else {
        const std::string page = report::html(whole);
        if (o.charts.empty())
            deliver(page, o.output.empty() ? "report.html" : o.output);
        else
            draw(page, o.charts);
    }
    return success;
}

}  // namespace

void add_report(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand(
        "report",
        "turn a results file into HTML, Markdown or CSV, or tables and charts for papers");
    auto o = std::make_shared<report_options>();
    sub->add_option("results", o->input, "a results file, as bench, crossover and study write")
        ->required();
    auto* output =
        sub->add_option("-o,--output", o->output,
                        "the file to write (default: report.html; other forms go to the terminal)")
            ->check(file_name());
    auto* markdown = sub->add_flag("--markdown", o->markdown, "the report as Markdown");
    auto* csv = sub->add_flag("--csv", o->csv, "one row per trial")->excludes(markdown);
    sub->add_option("--tables", o->tables,
                    "every table alone, for papers: markdown or latex (booktabs)")
        ->check(CLI::IsMember({"markdown", "latex"}))
        ->excludes(markdown)
        ->excludes(csv);
    sub->add_option("--charts", o->charts,
                    "a folder for every chart as SVG and PNG, for papers; needs Chromium")
        ->excludes(markdown)
        ->excludes(csv)
        ->excludes("--tables")
        ->excludes(output);
    sub->footer(
        "Examples:\n  carat report out.json -o out.html\n  carat report out.json --markdown\n"
        "  carat report out.json --tables latex -o tables.tex\n"
        "  carat report out.json --charts figures");
    sub->callback([o, &chosen] { chosen = [o] { return report(*o); }; });
}

}  // namespace carat::cli
