// The contents of a study: findings in sentences, tables, and what was not run and why. The
// terminal prints it from here; the report (page and Markdown) reads it from the results file.
#pragma once

#include <string>

#include "lab/results/chapter.hpp"

namespace carat::study {

using results::chapter;
using table = results::chapter_table;

// Removes columns that say "-" in every row.
void drop_empty_columns(chapter& c);

// Fits 80 columns: wide tables are divided into several that repeat their first column.
[[nodiscard]] std::string plain(const chapter& c);

}  // namespace carat::study
