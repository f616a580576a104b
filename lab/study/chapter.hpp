// The contents of a study: findings in sentences, tables, and what was not run and why. The
// report (terminal, page and Markdown) tells it.
#pragma once

#include "lab/results/chapter.hpp"

namespace carat::study {

using results::chapter;
using table = results::chapter_table;

// Removes columns that say "-" in every row.
void drop_empty_columns(chapter& c);

}  // namespace carat::study
