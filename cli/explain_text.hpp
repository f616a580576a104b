// An explanation as text of at most 80 columns.
#pragma once

#include <string>

#include "lab/explain/explanation.hpp"

namespace carat::cli {

[[nodiscard]] std::string explain_text(const explain::explanation& told);

}  // namespace carat::cli
