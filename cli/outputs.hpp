// The files that bench, crossover and the tour leave: results, trials and a page; and the answer.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/measuring.hpp"

namespace carat::cli {

struct output_flags {
    std::string json, csv, report;
    bool resume = false;
    bool quiet = false;
};

// `unit`: what is measured, and saved, at a time.
void add_output_flags(CLI::App& sub, output_flags& flags, const std::string& unit);

// Called before anything is measured: throws carat::error when --resume has no file to go on with,
// two files are one, or the page can't be written. With --json - people read standard error from
// now on.
void check(const output_flags& flags);

// The session's, as far as these flags go.
[[nodiscard]] session_options session_options_of(const output_flags& flags);

// The sentences that open the report of the results, after an empty line, within the terminal's
// columns: what a command that measures ends with.
[[nodiscard]] std::string headline(const results::document& doc);

// Writes the page, says what was written, and ends with the answer; or prints the results.
void leave(const output_flags& flags, const session_result& result);

}  // namespace carat::cli
