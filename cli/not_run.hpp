// What a table says of implementations that have no figure.
#pragma once

#include <set>
#include <span>
#include <string>

#include "lab/request/request.hpp"
#include "lab/results/document.hpp"

namespace carat::cli {

// What the reader knows so far, and asked for by name, and so wants to hear in full.
struct told_so_far {
    explicit told_so_far(const request::measurement& r = {});

    std::set<std::string> asked_for;
    std::set<std::string> reasons;
    std::string summary;
    std::string date = {};    // of the measurement
    std::string gpu = "GPU";  // its name
};

// What this machine lacks in a line or two: "30 not run: no GPU (23), not installed (7): ./dev
// peers; carat list". A line for each that failed, or was asked for by name. Nothing twice.
[[nodiscard]] std::string not_run(std::span<const results::result> results, told_so_far& told);

}  // namespace carat::cli
