// What this carat was built from and with.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace carat::results {

[[nodiscard]] std::string version();   // "0.1.0"
[[nodiscard]] std::string revision();  // of the sources; ends in "-dirty" when they were changed

// The object "build" of docs/results.md.
[[nodiscard]] nlohmann::json build_facts();

}  // namespace carat::results
