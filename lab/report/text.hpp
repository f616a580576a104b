// Tables and chapters as text for a terminal. Wide tables are divided into several that repeat
// their first column.
#pragma once

#include <string>
#include <string_view>

#include "lab/report/table.hpp"
#include "lab/results/chapter.hpp"

namespace carat::report {

inline constexpr std::size_t usual_columns = 80;

// The columns of `text` on a screen: one for each character.
[[nodiscard]] std::size_t columns_of(std::string_view text);

// Words of `text` in lines of at most `most` columns, each after `indent` spaces but the first.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t most);

// Heads and rows, without title and note; backticks around names are left out.
[[nodiscard]] std::string text(const table& t, std::size_t columns = usual_columns);

// Title, question, tables and sentences; what is empty is left out.
[[nodiscard]] std::string text(const results::chapter& c);

}  // namespace carat::report
