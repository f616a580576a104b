// The terminal: colours only where there is one, progress that rewrites its line there and stays
// silent in a log, and Ctrl-C as a polite request.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "lab/report/table.hpp"

namespace carat::cli {

enum class style { plain, strong, faint, good, bad };

// Where people read: standard output, until give_results_stdout() says that a program reads that;
// then it is standard error.
[[nodiscard]] std::FILE* people();
void give_results_stdout();

// That terminal's columns, or what COLUMNS says: from 40 to 80, which tables are made for.
[[nodiscard]] std::size_t terminal_columns();

// `text` for people, in colour where that is a terminal that knows colours (TERM is not "dumb") and
// NO_COLOR is empty or not set.
[[nodiscard]] std::string styled(std::string_view text, style how);

// At most `width` columns of `text`, the end cut off with "...".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

// The same, the middle cut out: names begin with their family and end with what tells them apart.
[[nodiscard]] std::string shortened_middle(std::string_view text, std::size_t width);

// Words of `text` in lines that end three columns before the terminal does, each after `indent`
// spaces but the first.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

// A table of the report within the terminal's columns; long names lose their middle.
[[nodiscard]] std::string table_text(report::table t);

// `line` in lines no longer than the terminal's, those after the first after `indent` spaces; a
// word that is longer stays whole.
[[nodiscard]] std::string folded(std::string_view line, std::size_t indent);

// Each line of `text` folded so.
[[nodiscard]] std::string folded_lines(std::string_view text, std::size_t indent);

// One line on standard error that says what is going on and how long it will take.
class progress_line {
  public:
    progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { clear(); }

    void show(const std::string& what, double share);
    void clear();

  private:
    using clock = std::chrono::steady_clock;
    bool terminal_;
    bool shown_ = false;
    clock::time_point start_;
    clock::time_point last_;
};

// Makes the first Ctrl-C, or request to end, only set interrupted() from now on; a second one ends
// the program.
void catch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace carat::cli
