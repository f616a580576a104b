#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/files.hpp"
#include "files/output.hpp"
#include "lab/report/report.hpp"

namespace carat::cli {

void add_output_flags(CLI::App& sub, output_flags& flags, const std::string& unit) {
    sub.add_option("--json", flags.json,
                   "write results here; those of every " + unit + " are kept at once")
        ->check(file_name());
    sub.add_option("--csv", flags.csv, "one row per trial of a product")->check(file_name());
    sub.add_option("--report", flags.report, "write the HTML report here")->check(file_name());
    sub.add_flag("--resume", flags.resume,
                 "go on with the " + unit + "s that --json does not hold yet");
}

void check(const output_flags& flags) {
    if (flags.resume && flags.json.empty())
        throw error(error_code::invalid_argument,
                    "--resume needs --json FILE: the file to go on with");
    require_apart({{"--json", flags.json}, {"--csv", flags.csv}, {"--report", flags.report}});
    if (!flags.report.empty()) files::require_writable(flags.report);
}

void leave(const output_flags& flags, const session_result& result) {
    if (!result.saved) {
        fmt::print("nothing was measured, so no file is written\n");
        return;
    }
    if (!flags.report.empty())
        files::write_whole(flags.report, report::html(results::to_json(result.doc)));
    for (const std::string& path : {flags.json, flags.csv, flags.report})
        if (!path.empty()) fmt::print("wrote {}\n", path);
}

}  // namespace carat::cli
