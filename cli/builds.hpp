// Two builds of carat side by side: each is a command whose worker processes serve its own
// implementations to this one's session, which fills, verifies, times and judges.
#pragma once

#include <array>
#include <string>

#include "cli/measured.hpp"
#include "lab/compare/analyse.hpp"
#include "lab/results/document.hpp"

namespace carat::cli {

struct build {
    std::string given;     // as the user names it
    std::string command;   // the program
    std::string revision;  // of its sources; empty: it doesn't tell
};

// `path`: the command, or the folder it was built or installed in. Throws carat::error where there
// is none, or what is there serves nothing.
[[nodiscard]] build build_at(const std::string& path);

struct side_by_side {
    std::array<results::document, 2> docs;  // of each build; the trials share their rounds
    bool interrupted = false;
};

// Throws carat::error on what can't be measured so, and where the first build has no figure.
[[nodiscard]] side_by_side measure_builds(const measured_flags& flags,
                                          const std::array<build, 2>& builds,
                                          const comparing::analysis_options& how);

}  // namespace carat::cli
