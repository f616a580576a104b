#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/compare_text.hpp"
#include "cli/files.hpp"
#include "cli/headline.hpp"
#include "cli/standing_table.hpp"
#include "cli/terminal.hpp"
#include "lab/files/output.hpp"
#include "lab/report/report.hpp"

namespace carat::cli {

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
