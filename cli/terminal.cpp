#include "cli/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lab/report/text.hpp"

namespace carat::cli {

namespace {

constexpr auto refresh_interval = std::chrono::milliseconds(100);

constexpr std::size_t fewest_columns = 40;
constexpr std::size_t most_columns = 80;

volatile std::sig_atomic_t interrupts = 0;
std::FILE* read_by_people = stdout;

extern "C" void on_interrupt(int) {
    if (interrupts > 0) _exit(130);
    interrupts = 1;
    constexpr char message[] = "\ncarat: finishing what runs now; Ctrl-C again to end at once\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, sizeof message - 1);
}

bool begins_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Bytes of the first so many characters.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
    std::size_t i = 0;
    while (i < text.size() && (!begins_character(text[i]) || characters-- > 0)) ++i;
    return i;
}

// https://no-color.org: the variable is set, and not empty.
bool wants_no_colour() {
    const char* const set = std::getenv("NO_COLOR");
    return set != nullptr && *set != '\0';
}

// That of editors and logs, which obeys no escape sequence.
bool is_dumb() {
    const char* const term = std::getenv("TERM");
    return term != nullptr && std::string_view(term) == "dumb";
}

std::string duration(double left_s) {
    if (left_s < 90) return fmt::format("{:.0f} s left", left_s);
    return fmt::format("{:.0f} min left", left_s / 60);
}

}  // namespace

std::FILE* people() {
    return read_by_people;
}

void give_results_stdout() {
    read_by_people = stderr;
}

std::size_t terminal_columns() {
    static const std::size_t columns = [] {
        winsize size = {};
        std::size_t told = 0;
        const char* const set = std::getenv("COLUMNS");
        if (isatty(fileno(people())) != 0 && ioctl(fileno(people()), TIOCGWINSZ, &size) == 0)
            told = size.ws_col;
        else if (set != nullptr)
            std::from_chars(set, set + std::strlen(set), told);
        return told == 0 ? most_columns : std::clamp(told, fewest_columns, most_columns);
    }();
    return columns;
}

std::string styled(std::string_view text, style how) {
    static const bool colours = isatty(fileno(people())) != 0 && !wants_no_colour() && !is_dumb();
    if (!colours || how == style::plain) return std::string(text);
    constexpr const char* codes[] = {"0", "1", "2", "32", "31"};
    return fmt::format("\033[{}m{}\033[0m", codes[static_cast<int>(how)], text);
}

std::string shortened(std::string_view text, std::size_t width) {
    if (report::columns_of(text) <= width) return std::string(text);
    return std::string(text.substr(0, bytes_of(text, width - 3))) + "...";
}

std::string shortened_middle(std::string_view text, std::size_t width) {
    const std::size_t all = report::columns_of(text);
    if (all <= width) return std::string(text);
    const std::size_t head = 4;
    return std::string(text.substr(0, bytes_of(text, head))) + ".." +
           std::string(text.substr(bytes_of(text, all - (width - head - 2))));
}

std::string wrapped(std::string_view text, std::size_t indent) {
    return report::wrapped(text, indent, terminal_columns() - 3);
}

std::string table_text(report::table t) {
    constexpr std::size_t most_name_columns = 29;
    for (auto& row : t.rows)
        for (std::size_t c = 0; c < row.size(); ++c)
            if (t.columns[c].side == report::align::left)
                row[c] = shortened_middle(row[c], most_name_columns);
    return report::text(t, terminal_columns());
}

std::string folded(std::string_view line, std::size_t indent) {
    const std::size_t most = terminal_columns();
    std::string out;
    std::string rest(line.substr(0, line.find_last_not_of(' ') + 1));
    while (rest.size() > most) {
        const std::size_t text = rest.find_first_not_of(' ');
        std::size_t end = rest.rfind(' ', most);
        if (end == std::string::npos || end <= std::max(text, indent)) end = rest.find(' ', most);
        if (end == std::string::npos) break;
        out += rest.substr(0, rest.find_last_not_of(' ', end) + 1) + "\n";
        rest = std::string(indent, ' ') + rest.substr(end + 1);
    }
    return out + rest;
}

std::string folded_lines(std::string_view text, std::size_t indent) {
    std::string out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        out += folded(line, indent);
        if (line.size() < text.size()) out += '\n';
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return out;
}

progress_line::progress_line()
    : terminal_(isatty(STDERR_FILENO) != 0 && !is_dumb()), start_(clock::now()), last_(start_) {}

void progress_line::show(const std::string& what, double share) {
    const auto now = clock::now();
    if (!terminal_ || now - last_ < refresh_interval) return;
    last_ = now;
    shown_ = true;
    const double spent_s = std::chrono::duration<double>(now - start_).count();
    const std::string left = share > 0.02 ? duration(spent_s * (1 - share) / share) : "";
    const std::string line = fmt::format("{:3.0f} %  {:>11}  {}", 100 * share, left, what);
    fmt::print(stderr, "\r\033[K{}", shortened(line, terminal_columns() - 1));
    std::fflush(stderr);
}

void progress_line::clear() {
    if (shown_) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    shown_ = false;
}

void catch_interrupts() {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);  // what batch systems and timeout send
}

bool interrupted() {
    return interrupts > 0;
}

}  // namespace carat::cli
