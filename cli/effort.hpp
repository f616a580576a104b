// How long bench and crossover measure, and by which random numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "lab/request/request.hpp"

namespace carat::cli {

struct effort_flags {
    int trials = 0;
    double ci_width, budget_s, limit_s;
    std::uint64_t seed = 1;
    int processes = 5;
    double settle_s = 0;
};

// How long a run with a bare --settle may go on.
inline constexpr const char* usual_settle_s = "600";

// `where`: "a verdict is unclear".
void add_settle_flag(CLI::App& sub, double& settle_s, const std::string& where);

// `unit`: what the budget is for, beside the implementation.
void add_effort_flags(CLI::App& sub, effort_flags& flags, const std::string& unit);

void set_effort(request::measurement& r, const effort_flags& flags);

}  // namespace carat::cli
