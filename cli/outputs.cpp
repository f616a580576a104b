#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/compare_text.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "lab/files/output.hpp"
#include "lab/report/cases.hpp"
#include "lab/report/report.hpp"
#include "lab/report/standing.hpp"

namespace carat::cli {

namespace {

// Who leads over many products; empty where there are too few to speak of.
std::string standing_table(const results::document& doc) {
    constexpr std::size_t name_columns = 24;
    const auto cases = report::group(doc);
    std::string text;
    std::string population;
    for (const report::standing& s : report::standings(cases)) {
        if (s.population != population) {
            population = s.population;
            text += styled(fmt::format("{} over {} products, against the fastest other", population,
                                       s.cases),
                           style::strong) +
                    "\n" +
                    styled(fmt::format("{:<{}} {:>7} {:>13} {:>5} {:>6} {:>5}  {}\n",
                                       "implementation", name_columns, "geomean", "95 % CI", "p5",
                                       "leads", "worst", "at"),
                           style::faint);
        }
        text += fmt::format("{:<{}} {:>7.3f} {:>6.3f}-{:<6.3f} {:>5.2f} {:>5.0f}% {:>5.2f}  {}\n",
                            shortened_middle(s.implementation, name_columns), name_columns,
                            s.geomean, s.ci95[0], s.ci95[1], s.p5, 100 * s.leading_share, s.worst,
                            shortened(s.worst_case, 17));
    }
    return text;
}

}  // namespace

std::string headline(const results::document& doc) {
    return styled(wrapped(report::headline(doc), 0), style::strong) + "\n";
}

void add_output_flags(CLI::App& sub, output_flags& flags, const std::string& unit) {
    sub.add_option("--json", flags.json,
                   "write the results here after every " + unit + "; -: print them at the end")
        ->check(file_name());
    sub.add_option("--csv", flags.csv, "one row per trial of a product")->check(file_name());
    sub.add_option("--report", flags.report, "write the HTML report here")->check(file_name());
    sub.add_flag("--resume", flags.resume,
                 "measure only the " + unit + "s that the file of --json lacks");
    sub.add_flag("--quiet", flags.quiet, "print only the answer, without tables");
}

void check(const output_flags& flags) {
    if (flags.json == "-") give_results_stdout();
    if (flags.resume && file_of(flags.json).empty())
        throw error(error_code::invalid_argument,
                    "--resume needs --json FILE: the file to go on with");
    require_apart(
        {{"--json", file_of(flags.json)}, {"--csv", flags.csv}, {"--report", flags.report}});
    if (!flags.report.empty()) files::require_writable(flags.report);
}

session_options session_options_of(const output_flags& flags) {
    session_options options;
    options.out = {file_of(flags.json), flags.csv};
    options.command = command_line();
    options.resume = flags.resume;
    options.quiet = flags.quiet;
    return options;
}

void leave(const output_flags& flags, const session_result& result) {
    if (!result.saved) {
        fmt::print(people(), "nothing was measured, so no file is written\n");
        return;
    }
    if (!flags.report.empty()) files::write_whole(flags.report, report::html(result.doc));
    for (const std::string& path : {file_of(flags.json), flags.csv, flags.report})
        if (!path.empty() && !flags.quiet) fmt::print(people(), "wrote {}\n", path);
    fmt::print(people(), "{}{}", standing_table(result.doc), headline(result.doc));
    if (flags.json == "-") fmt::print("{}", dumped(results::to_json(result.doc)));
}

}  // namespace carat::cli
