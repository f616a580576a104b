// carat compare: what changed between two results files, or two builds, and is it real?
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "cli/builds.hpp"
#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/compare_text.hpp"
#include "cli/files.hpp"
#include "cli/measured.hpp"
#include "lab/compare/changes.hpp"
#include "lab/files/output.hpp"
#include "lab/report/report.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

namespace {

namespace fs = std::filesystem;

struct compare_options {
    std::string before, after, report, json, markdown;
    double margin = 0.02, alpha = 0.05;
    bool builds = false;  // before and after are
    measured_flags what;
};

// What the page and the JSON say of the two files, beside the later one's results.
nlohmann::json regression(const compare_options& o, const results::document& before,
                          const results::document& after, const comparing::changes& found) {
    const auto origin = [&](const std::string& file, const results::document& doc) {
        return nlohmann::json{{"file", o.builds ? file : fs::path(file).filename().string()},
                              {"revision", doc.revision},
                              {"date", doc.date}};
    };
    nlohmann::json changes = nlohmann::json::array();
    for (const comparing::change& c : found.rows) changes.push_back(comparing::to_json(c));
    return {{"before", origin(o.before, before)},
            {"after", origin(o.after, after)},
            {"margin", o.margin},
            {"alpha", o.alpha},
            {"notes", found.notes},
            {"failures", found.failures},
            {"only_after", found.only_after},
            {"over_cases", comparing::to_json(found.over_cases)},
            {"changes", std::move(changes)}};
}

// "-" is the terminal: then nothing else goes there.
bool write(const std::string& file, const std::string& text) {
    if (file == "-")
        fmt::print("{}", text);
    else if (!file.empty())
        files::write_whole(file, text);
    return file == "-";
}

void validate(const compare_options& o) {
    if (o.json == "-" && o.markdown == "-")
        throw error(error_code::invalid_argument,
                    "--json and --markdown both ask for the terminal: give one of them a file");
    for (const std::string& input : {o.before, o.after})
        require_apart({{o.builds ? "--ab" : "results", input},
                       {"--report", o.report},
                       {"--json", file_of(o.json)},
                       {"--markdown", file_of(o.markdown)}});
    for (const std::string& output : {o.report, file_of(o.json), file_of(o.markdown)})
        if (!output.empty()) files::require_writable(output);
}

// Writes and prints the answer; the exit code.
int answer(const compare_options& o, const results::document& before,
           const results::document& after, const comparing::changes& found) {
    const nlohmann::json told = regression(o, before, after, found);
    const bool as_json = write(o.json, o.json.empty() ? "" : dumped(told));
    const bool as_markdown =
        write(o.markdown, o.markdown.empty() ? "" : changes_markdown(told, found));
    if (!o.report.empty()) files::write_whole(o.report, report::html(after, told));
    if (!as_json && !as_markdown) {
        for (const std::string& file : {o.json, o.markdown, o.report})
            if (!file.empty()) fmt::print("wrote {}\n", file);
        fmt::print("{}", changes_text(found, o.before, o.after));
    }
    return found.failures.empty() ? success : bad_answer;
}

comparing::analysis_options analysis_of(const compare_options& o) {
    return {.alpha = o.alpha, .equivalence_margin = o.margin};
}

int compare_files(const compare_options& o) {
    const results::document before = results::load(o.before);
    const results::document after = results::load(o.after);
    const comparing::changes found = comparing::compare_documents(before, after, analysis_of(o));
    if (found.rows.empty() || found.count("missing") == found.rows.size())
        throw error(error_code::invalid_argument,
                    o.before + " and " + o.after + " have no measured case in common");
    return answer(o, before, after, found);
}

int compare_builds(const compare_options& o) {
    const std::array builds = {build_at(o.before), build_at(o.after)};
    const side_by_side measured = measure_builds(o.what, builds, analysis_of(o));
    if (measured.interrupted) return interrupted_by_user;
    const auto& [before, after] = measured.docs;
    return answer(
        o, before, after,
        comparing::compare_documents(before, after, analysis_of(o), comparing::rounds::common));
}

int compare(const compare_options& o) {
    validate(o);
    return o.builds ? compare_builds(o) : compare_files(o);
}

// bench's, which have a meaning only where something is measured.
void add_flags_of_builds(CLI::App& sub, compare_options& o) {
    CLI::Option* builds =
        sub.add_flag("--ab", o.builds,
                     "BEFORE and AFTER are builds (carat commands, or their folders): measure both "
                     "now, in turns and in common rounds");
    const auto others = sub.get_options();
    o.what.implementations = "engine";
    add_measured_flags(sub, o.what);
    for (CLI::Option* one : sub.get_options())
        if (std::ranges::find(others, one) == others.end()) one->needs(builds)->group("With --ab");
}

}  // namespace

void add_compare(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand(
        "compare",
        "two results files or builds: what became faster or slower; exit 1 on a regression");
    auto o = std::make_shared<compare_options>();
    sub->add_option("before", o->before, "results file, or build")->required();
    sub->add_option("after", o->after, "results file, or build")->required();
    sub->add_option("--margin", o->margin, "differences within this share are a tie")
        ->check(number(0.0, 1.0))
        ->capture_default_str();
    sub->add_option("--alpha", o->alpha, "chance of one wrong verdict or more among all cases")
        ->check(number(1e-12, 0.5))
        ->capture_default_str();
    sub->add_option("--report", o->report, "write the report of AFTER with every change as HTML")
        ->check(file_name());
    sub->add_option("--markdown", o->markdown, "write what changed as Markdown; -: print it")
        ->check(file_name());
    sub->add_option("--json", o->json, "write what changed as JSON; -: print it")
        ->check(file_name());
    add_flags_of_builds(*sub, *o);
    sub->footer(
        "Exit 1: a case is slower, missing or without a figure, a file is unfinished, or no case\n"
        "has a verdict.\n"
        "Examples:\n  carat compare main.json branch.json --margin 0.05 || echo slower\n"
        "  carat compare main.json branch.json --markdown - >> $GITHUB_STEP_SUMMARY\n"
        "  carat compare --ab ../yesterday/build build --size 1000,64x4096x4096");
    sub->callback([o, &chosen] { chosen = [o] { return compare(*o); }; });
}

}  // namespace carat::cli
