// What run, bench, explain and compare --ab take beyond types, sizes and layouts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab/rows/operation.hpp"

namespace carat::cli {

struct call_flags {
    std::string batch = "1";
    double alpha = 1, beta = 0;
    std::string groups, out, epilogue, e = "c", scale_by = "none";
    bool prepared = false;
};

void add_call_flags(CLI::App& sub, call_flags& flags);

// Throws carat::error on what is wrong in them.
[[nodiscard]] rows::call call_of(const call_flags& flags);

}  // namespace carat::cli
