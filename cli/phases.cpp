#include "cli/phases.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/terminal.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/report/case_tables.hpp"

namespace carat::cli {

void add_host_memory_flag(CLI::App& sub, phase_flags& flags) {
    sub.add_option("--host-memory", flags.host_memory,
                   "where matrices lie before they are copied: pageable, or pinned pages")
        ->check(CLI::IsMember({"pageable", "pinned"}))
        ->capture_default_str();
}

void add_phase_flags(CLI::App& sub, phase_flags& flags) {
    sub.add_flag("--phases", flags.on,
                 "on a GPU, time allocation, copies and free around the product as well");
    add_host_memory_flag(sub, flags);
}

request::host_memory parse_host_memory(const std::string& text) {
    return text == "pinned" ? request::host_memory::pinned : request::host_memory::pageable;
}

std::optional<request::host_memory> phases_of(const phase_flags& flags,
                                              const std::vector<request::selection>& chosen) {
    if (!flags.on) return std::nullopt;
    if (std::ranges::none_of(chosen, [](const request::selection& s) {
            return s.entry->where == rows::device::cuda;
        }))
        throw error(error_code::invalid_argument,
                    "--phases: none of the implementations chosen runs on a GPU; add one to "
                    "--impl, or leave --phases out");
    if (const std::string why = gpu::unavailable(gpu::in_use()); !why.empty())
        throw error(error_code::unsupported, "--phases needs a GPU: " + why);
    return parse_host_memory(flags.host_memory);
}

std::string phase_table(const report::measured_case& here, const std::string& date) {
    std::string text, memory;
    for (const results::result* c : here.ranked) {
        if (!c->end_to_end) continue;
        memory = c->end_to_end->host_memory;
        if (!c->end_to_end->measured())
            text += "   " + wrapped(c->implementation + ": " + c->end_to_end->reason, 6) + "\n";
    }
    if (memory.empty()) return {};
    const report::table measured = report::phases_table(date, here);
    return styled("   end to end, " + memory + "\n", style::faint) +
           (measured.rows.empty() ? "" : table_text(measured)) + text;
}

}  // namespace carat::cli
