// carat explain --set: how far the predictions of GPU plans hold, over products drawn at random.
#pragma once

#include <string>

namespace carat::cli {

struct set_options {
    std::string what;   // "SEED:COUNT"
    std::string types;  // in turn
    std::string json;   // a file; empty: none
    double budget_s = 0.1;
};

/// Measures, prints a line each and how many lie within 15 %, and writes the file. Throws
/// carat::error where there is no GPU to measure on.
int explain_set(const set_options& o);

}  // namespace carat::cli
