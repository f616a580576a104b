// The GPU that a document measured on beside the one of this machine.
#pragma once

#include "lab/results/document.hpp"
#include "lab/study/chapter.hpp"
#include "lab/study/published.hpp"

namespace carat::study {

// Adds a table of limits: what the makers publish for both GPUs, and what was measured here. Where
// they are the same GPU, the sources say so. Without a GPU here the document's stands alone.
void add_hardware(chapter& c, const published::source& from, const results::document& doc);

}  // namespace carat::study
