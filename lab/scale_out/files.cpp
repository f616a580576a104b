#include "lab/scale_out/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "lab/files/output.hpp"

namespace carat::scale_out {

namespace {

constexpr const char* standard_output = "-";

}  // namespace

void add_files(CLI::App& app, files& to) {
    app.add_option("--json", to.json, "a file for all figures; -: print them at the end");
    app.add_option("--report", to.report, "a file for the HTML report");
    app.add_option("--command", to.command, "what the report says was typed");
}

void require_writable(const files& to) {
    if (to.report == standard_output)
        throw error(error_code::invalid_argument,
                    "--report: '-' is no file: name one for the page, or take --json -");
    for (const std::string& file : {to.json, to.report})
        if (!file.empty() && file != standard_output) carat::files::require_writable(file);
}

std::FILE* people(const files& to) {
    return to.json == standard_output ? stderr : stdout;
}

void leave(const outcome& of, const nlohmann::json& json, const files& to) {
    if (!to.report.empty()) carat::files::write_whole(to.report, page(of, to.command));
    const std::string dumped = json.dump(1) + "\n";
    if (to.json == standard_output)
        fmt::print("{}", dumped);
    else if (!to.json.empty())
        carat::files::write_whole(to.json, dumped);
    for (const std::string& file : {to.json, to.report})
        if (!file.empty() && file != standard_output) fmt::print(people(to), "wrote {}\n", file);
}

}  // namespace carat::scale_out
