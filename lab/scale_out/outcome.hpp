// Figures of products over processes or GPUs: a table for the terminal, and a page with the same
// columns. No other report has efficiency and words over the lower bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carat::scale_out {

// The median, and the interval between order statistics that holds it with 95 % or more; of fewer
// than six trials, none does, and it is their range.
struct summary {
    double median = 0, lower = 0, upper = 0;
    bool is_range = false;
};
[[nodiscard]] summary summary_of(std::vector<double> times);

struct entry {
    std::string name;
    summary seconds = {};
    double flop = 0;
    bool is_answer = false;        // what the page's first sentence is about
    double efficiency = -1;        // below 0: unknown
    double words_over_bound = -1;  // the same
    std::int64_t wrong_entries = 0;
    std::string why_not = {};  // it was not run; empty: it was

    [[nodiscard]] bool has_figure() const { return why_not.empty() && wrong_entries == 0; }
};

// One product.
struct comparison {
    std::string title;
    std::vector<entry> entries;
};

struct outcome {
    std::string question;
    std::string efficiency;  // the head of its column
    std::string note;        // what the columns mean
    bool on_gpus = false;
    std::vector<comparison> all = {};
};

// `efficiency`: the head of its column.
[[nodiscard]] std::string text(const comparison& of, const std::string& efficiency);

// The HTML report. `command`: as it was typed.
[[nodiscard]] std::string page(const outcome& of, const std::string& command);

}  // namespace carat::scale_out
