// Many products under one name, so that a figure can say of which population it is.
#pragma once

#include <string_view>
#include <vector>

#include "lab/request/request.hpp"

namespace carat::request {

// Whether the words name a corpus: what they begin with is one of those below.
[[nodiscard]] bool is_corpus(std::string_view text);

// - "random:SEED:COUNT", sides of 16 to 16384, log-uniform, of 2e8 to 1e12 operations (2 MNK);
//   "random:SEED:COUNT:LEAST:MOST" with other limits, and ":MULTIPLE" behind these for sides that
//   are multiples;
// - "stream-k:SEED:COUNT", sides of 128 to 8192, the domain of Osama et al., "Stream-K" (PPoPP
//   2023);
// - "models", the linear layers of three published models at M of 1 to 8192.
// The same words give the same products on every machine. Throws carat::error on anything else.
[[nodiscard]] std::vector<shape> corpus(std::string_view text);

}  // namespace carat::request
