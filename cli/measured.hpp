// What bench and compare --ab measure: implementations, cases, and how long.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/call.hpp"
#include "cli/effort.hpp"
#include "lab/request/request.hpp"

namespace carat::cli {

struct measured_flags {
    std::string implementations = "all", excluded, sizes = "256,1000,2000", types = "f64", threads;
    std::string device = "all", distribution, inputs = "hot", operations = "2mnk";
    std::string layout = "nn";
    call_flags call;
    bool no_energy = false;
    effort_flags effort{.ci_width = 0.01, .budget_s = 5, .limit_s = 0};
};

void add_measured_flags(CLI::App& sub, measured_flags& flags);

// Throws carat::error on what is wrong in them.
[[nodiscard]] request::measurement request_of(const measured_flags& flags);

}  // namespace carat::cli
