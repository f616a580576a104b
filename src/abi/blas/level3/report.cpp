#include "abi/blas/level3/report.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace carat::blas::profile {

namespace {

constexpr std::size_t most_lines = 30;

using line = std::pair<key, totals>;

std::string on_the_left(std::string_view text, std::size_t width) {
    std::string padded(text);
    padded.resize(std::max(width, text.size()), ' ');
    return padded;
}

std::string on_the_right(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + std::string(text);
}

// Not printf, which writes the decimal comma of the program's locale.
std::string decimal(double value, int digits, std::size_t width) {
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr;
    return on_the_right({text, static_cast<std::size_t>(end - text)}, width);
}

std::string flags_of(const key& of) {
    return {of.flags.data(), strnlen(of.flags.data(), of.flags.size())};
}

std::string shape_of(const key& of) {
    if (of.forwarded) return "the other BLAS";
    if (of.m < 0) return "all shapes";
    std::string text = of.rounded ? "<=" : "";
    text += std::to_string(of.m) + "x" + std::to_string(of.n);
    if (of.k >= 0) text += "x" + std::to_string(of.k);
    return text;
}

// Names without flags, such as cblas_zdotu_sub, take both columns.
std::string name_of(const key& of) {
    const std::string flags = flags_of(of);
    if (flags.empty()) return on_the_left(of.routine, 18);
    return on_the_left(of.routine, 13) + " " + on_the_left(flags, 4);
}

// Omits rates of no operations, and shares of an unknown whole.
std::string line_with(const std::string& name, const std::string& shape, const totals& of,
                      double whole_s) {
    std::string text = on_the_left(name, 18) + " " + on_the_left(shape, 24) + " " +
                       on_the_right(std::to_string(of.calls), 10) + " " + decimal(of.time_s, 4, 10);
    const bool rate = of.time_s > 0 && of.flop > 0;
    if (whole_s > 0 || rate)
        text +=
            " " + (whole_s > 0 ? decimal(100 * of.time_s / whole_s, 1, 5) : on_the_right("", 5));
    if (rate) text += " " + decimal(of.flop / of.time_s / 1e9, 2, 8);
    return text;
}

key without_shape(const key& of) {
    return {of.routine, {}, -1, -1, -1, false, of.forwarded};
}

// Slowest first, then by name. Lines beyond the limit are summed up, except carat's own routines.
std::string lines_of(const ledger& entries, double whole_s) {
    std::vector<line> lines(entries.begin(), entries.end());
    std::ranges::sort(lines, [](const line& x, const line& y) {
        return std::tie(y.second.time_s, x.first) < std::tie(x.second.time_s, y.first);
    });
    std::string text;
    totals rest;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& [what, of] = lines[i];
        const bool own_routine = !what.forwarded && what.m < 0;
        if (i < most_lines || own_routine) {
            text += line_of(what, of, whole_s) + "\n";
        } else {
            add(rest, of);
            ++left_out;
        }
    }
    if (left_out > 0)
        text += line_with("others", std::to_string(left_out) + " more", rest, whole_s) + "\n";
    return text;
}

}  // namespace

void add(totals& to, const totals& more) {
    to.calls += more.calls;
    to.time_s += more.time_s;
    to.flop += more.flop;
}

key rounded(key of) {
    for (std::int64_t* size : {&of.m, &of.n, &of.k})
        if (*size > 0)
            *size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(*size)));
    of.rounded = true;
    return of;
}

std::string head(std::string_view remark) {
    return "carat_blas: calls of process " + std::to_string(getpid()) + std::string(remark) + "\n" +
           on_the_left("routine", 18) + " " + on_the_left("m x n x k", 24) + " " +
           on_the_right("calls", 10) + " " + on_the_right("seconds", 10) + "     %  GFLOP/s\n";
}

std::string line_of(const key& what, const totals& of, double whole_s) {
    return line_with(name_of(what), shape_of(what), of, whole_s);
}

std::string report_of(const ledger& entries) {
    totals whole;
    ledger routines;
    ledger shapes;
    for (const auto& [what, of] : entries) {
        add(whole, of);
        add(routines[without_shape(what)], of);
        if (!what.forwarded) add(shapes[entries.size() > most_lines ? rounded(what) : what], of);
    }
    // Counts no operations for routines that are not carat's.
    const auto ours = [](const auto& entry) { return !entry.first.forwarded; };
    if (!std::ranges::all_of(entries, ours)) whole.flop = 0;
    std::string text = head("") + lines_of(routines, whole.time_s) +
                       line_with("all", "", whole, whole.time_s) + "\n";
    if (!shapes.empty()) text += "by shape:\n" + lines_of(shapes, whole.time_s);
    return text;
}

}  // namespace carat::blas::profile
