// The subcommands: each adds itself to the application and, when it is the one, runs and returns
// the exit code. 0: done; 1: done, and the answer is bad (a regression, a failed verification);
// 2: bad input or a failure, told in one line; 130: interrupted, results so far are valid. `judge`
// returns 2 for a target that is wrong, and 3 where others return 2.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace carat::cli {

enum exit_code : int {
    success = 0,
    bad_answer = 1,
    bad_input = 2,
    no_judgement = 3,
    interrupted_by_user = 130
};

using action = std::function<int()>;

// Each sets `chosen` when its subcommand was given.
void add_info(CLI::App& app, action& chosen);
void add_list(CLI::App& app, action& chosen);
void add_run(CLI::App& app, action& chosen);
void add_run_with(CLI::App& app, action& chosen);
void add_bench(CLI::App& app, action& chosen);
void add_explain(CLI::App& app, action& chosen);
void add_plan(CLI::App& app, action& chosen);
void add_crossover(CLI::App& app, action& chosen);
void add_tune(CLI::App& app, action& chosen);
void add_study(CLI::App& app, action& chosen);
void add_judge(CLI::App& app, action& chosen);
void add_compare(CLI::App& app, action& chosen);
void add_report(CLI::App& app, action& chosen);
void add_completion(CLI::App& app, action& chosen);

// What `carat` does without a subcommand.
int tour();

// The command as it was typed, for the results; main() says it once.
void remember_command_line(int argc, char** argv);
// Overwrites what was given there, and takes it out of the environment: other processes can read
// both.
void hide_from_others(const std::string& given);
[[nodiscard]] const std::string& command_line();

}  // namespace carat::cli
