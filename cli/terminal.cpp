#include "cli/terminal.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace carat::cli {

namespace {

constexpr auto refresh_interval = std::chrono::milliseconds(100);
constexpr std::size_t columns = 79;

volatile std::sig_atomic_t interrupts = 0;
std::FILE* read_by_people = stdout;

extern "C" void on_interrupt(int) {
    if (interrupts > 0) _exit(130);
    interrupts = 1;
    constexpr char message[] = "\ncarat: finishing what runs now; Ctrl-C again to end at once\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof message - 1);
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

std::string styled(std::string_view text, style how) {
    static const bool colours = isatty(fileno(people())) != 0 && std::getenv("NO_COLOR") == nullptr;
    if (!colours || how == style::plain) return std::string(text);
    constexpr const char* codes[] = {"0", "1", "2", "32", "31"};
    return fmt::format("\033[{}m{}\033[0m", codes[static_cast<int>(how)], text);
}

std::string shortened(std::string_view text, std::size_t width) {
    if (text.size() <= width) return std::string(text);
    return std::string(text.substr(0, width - 3)) + "...";
}

std::string shortened_middle(std::string_view text, std::size_t width) {
    if (text.size() <= width) return std::string(text);
    const std::size_t head = 4;
    return std::string(text.substr(0, head)) + ".." +
           std::string(text.substr(text.size() - (width - head - 2)));
}

std::string wrapped(std::string_view text, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (column > 0 && column + 1 + word.size() > 77) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

std::string folded(std::string_view line, std::size_t indent) {
    constexpr std::size_t most = 80;
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

progress_line::progress_line()
    : terminal_(isatty(STDERR_FILENO) != 0), start_(clock::now()), last_(start_) {}

void progress_line::show(const std::string& what, double share) {
    const auto now = clock::now();
    if (!terminal_ || now - last_ < refresh_interval) return;
    last_ = now;
    shown_ = true;
    const double spent_s = std::chrono::duration<double>(now - start_).count();
    const std::string left = share > 0.02 ? duration(spent_s * (1 - share) / share) : "";
    const std::string line = fmt::format("{:3.0f} %  {:>11}  {}", 100 * share, left, what);
    fmt::print(stderr, "\r\033[K{}", shortened(line, columns));
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
