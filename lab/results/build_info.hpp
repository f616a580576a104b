// What this carat was built from and with, and when it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace carat::results {

[[nodiscard]] std::string version();   // "0.1.0"
[[nodiscard]] std::string revision();  // of the sources; ends in "-dirty" when they were changed

[[nodiscard]] std::string now_utc();  // "2026-11-24T20:00:00Z", as documents are dated

// The object "build" of docs/results.md.
[[nodiscard]] nlohmann::json build_facts();

}  // namespace carat::results
