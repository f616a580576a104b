// What a study, or a judgement, found ("studies" in docs/results.md). The terminal, the page and
// Markdown all tell it from here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace carat::results {

struct chapter_table {
    std::string title;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;  // each as long as `head`
    std::string note;                            // under it; may be empty
};

struct chapter {
    std::string study = {}, title = {}, question = {}, extent = {};
    std::vector<std::string> findings = {};
    std::vector<chapter_table> tables = {};
    std::vector<std::string> not_run = {};  // "left_out" in the file
    std::vector<std::string> sources = {};  // documents with figures of their own, and hardware
    nlohmann::json trials = nlohmann::json::array();    // of what is no result of the results file
    nlohmann::json settings = nlohmann::json::array();  // of each of its parts
};

}  // namespace carat::results
