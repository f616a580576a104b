// The contents of a study: findings in sentences, tables, and what was not run and why. The
// terminal prints it from here; the report (page and Markdown) reads it from the results file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace carat::study {

struct table {
    std::string title;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;  // each as long as `head`
    std::string note;                            // under it; may be empty
};

struct chapter {
    std::string study, title, question, extent;
    std::vector<std::string> findings;
    std::vector<table> tables;
    std::vector<std::string> not_run;
    std::vector<std::string> sources;  // documents beside whose figures ours stand, with hardware
    nlohmann::json trials = nlohmann::json::array();  // of what is no result of the results file
};

// Removes columns that say "-" in every row.
void drop_empty_columns(chapter& c);

// An element of "studies" in docs/results.md.
[[nodiscard]] nlohmann::json to_json(const chapter& c);

// Fits 80 columns: wide tables are divided into several that repeat their first column.
[[nodiscard]] std::string plain(const chapter& c);

}  // namespace carat::study
