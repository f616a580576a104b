// --phases: what a product on a GPU costs from host memory to host memory.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "lab/report/cases.hpp"
#include "lab/request/request.hpp"
#include "lab/results/document.hpp"

namespace carat::cli {

struct phase_flags {
    bool on = false;
    std::string host_memory = "pageable";
};

void add_host_memory_flag(CLI::App& sub, phase_flags& flags);
void add_phase_flags(CLI::App& sub, phase_flags& flags);

[[nodiscard]] request::host_memory parse_host_memory(const std::string& text);

// What the request gets. Throws carat::error when phases are requested and none of `chosen` runs on
// a GPU, or no GPU can be used.
[[nodiscard]] std::optional<request::host_memory> phases_of(
    const phase_flags& flags, const std::vector<request::selection>& chosen);

// One row for each result that has phases, within the terminal's columns; empty when none has.
[[nodiscard]] std::string phase_table(const report::measured_case& here, const std::string& date);

}  // namespace carat::cli
