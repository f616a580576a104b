// The files that `carat bench --distributed` leaves.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/scale_out/outcome.hpp"

namespace carat::scale_out {

struct files {
    std::string json, report;
    std::string command;  // as it was typed
};

void add_files(CLI::App& app, files& to);

// Throws carat::error if a file can't be written; to be called before anything is measured.
void require_writable(const files& to);

// Where tables are printed: not where --json - prints.
[[nodiscard]] std::FILE* people(const files& to);

void leave(const outcome& of, const nlohmann::json& json, const files& to);

}  // namespace carat::scale_out
