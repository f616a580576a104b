// Results on disk: reading them, and writing trials as CSV. What writes a file is files/output.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "lab/results/document.hpp"

namespace carat::results {

// Together with what the journal of a run that goes on, or was killed, holds beyond it.
// Its texts without control characters: they may come from anywhere and go to terminals and tables.
// Throws carat::error naming the file when it is absent, not JSON or not a results file.
[[nodiscard]] document load(const std::filesystem::path& path);

// One row per trial, with a header; fields as in docs/results.md.
[[nodiscard]] std::string csv(const document& doc);

}  // namespace carat::results
