// What tour, run and bench share: the machine with its peaks, and a session with progress and
// tables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/gpu/limits.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/session/session.hpp"

namespace carat::cli {

struct known_machine {
    machine::description description;
    machine::peaks limits;
    std::optional<gpu::known_gpu> gpu;  // the one in use
};

// Describes the machine and takes its peaks from the cache, or measures them with progress;
// those of the GPU too where something chosen runs on it.
[[nodiscard]] known_machine know_machine(const request::measurement& r);

struct session_options {
    session::outputs out;
    std::string command;
    bool resume = false;  // from out.json
    bool all_pairs = false;
    bool quiet = false;            // no tables
    workers::start_process start;  // empty: this command serves its own implementations
    // What earlier sessions of the same study measured; cases found there are not measured again.
    std::optional<results::document> onto;
    // Asked when every size is measured: the sizes to measure next. Empty: there are none.
    std::function<std::vector<request::shape>(const results::document&)> next_sizes;
    // Adds what follows from the results, however far they go, before the last save. May be empty.
    std::function<void(results::document&)> conclude;
};

struct session_result {
    results::document doc;
    bool interrupted = false;
    bool saved = false;  // some case was done, so the files asked for are there
    // Something that ran was wrong or impossibly fast.
    [[nodiscard]] bool failed() const;
    [[nodiscard]] int exit_code() const;
};

// The results in a file to go on with. Throws carat::error naming the file when they are not of
// this machine, revision and what `r` asks for.
[[nodiscard]] results::document resumable(const request::measurement& r, const std::string& json);

// Checks everything that can be checked first; then measures, prints each case's ranking as it is
// done and saves it.
[[nodiscard]] session_result measure(const request::measurement& r, const session_options& options);

}  // namespace carat::cli
