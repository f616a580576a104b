// What this carat was built from and with, and when it runs.
#pragma once

#include <string>

#include "lab/results/document.hpp"

namespace carat::results {

[[nodiscard]] std::string version();   // "0.1.0"
[[nodiscard]] std::string revision();  // of the sources; ends in "-dirty" when they were changed

[[nodiscard]] std::string now_utc();  // "2026-11-24T20:00:00Z", as documents are dated

// A document that this carat begins now, with what it was built with ("build" in docs/results.md).
[[nodiscard]] document new_document(const std::string& command);

}  // namespace carat::results
