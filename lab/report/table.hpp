// A table of the report, whatever it is written as. Cells are text in which names between backticks
// are set as code and a cell between double asterisks is bold; units stand in the heads, so that a
// column of figures can be read by a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carat::report {

enum class align : std::uint8_t { left, right };

struct column {
    std::string head;
    align side = align::right;
};

struct table {
    std::string title;
    std::vector<column> columns;
    std::vector<std::vector<std::string>> rows;  // each as long as `columns`
    std::string note;                            // under it; may be empty
};

// The rows with their head, and the note below them; the title is the caller's to place.
[[nodiscard]] std::string markdown(const table& t);

// A float for \usepackage{booktabs}: the title is its caption, tab:LABEL what \ref finds.
[[nodiscard]] std::string latex(const table& t, const std::string& label);

// Plain text as LaTeX: what is special there is escaped, names in backticks become \texttt.
[[nodiscard]] std::string latex(const std::string& text);

}  // namespace carat::report
