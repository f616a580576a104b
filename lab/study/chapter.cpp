#include "lab/study/chapter.hpp"

#include <algorithm>
#include <sstream>

namespace carat::study {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t gap = 2;

// Columns on the screen: UTF-8 continuation bytes take none.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t to, bool left) {
    const std::string space(to - std::min(to, width(text)), ' ');
    return left ? text + space : space + text;
}

std::size_t widest(const table& t, std::size_t column) {
    std::size_t most = width(t.head[column]);
    for (const auto& row : t.rows) most = std::max(most, width(row[column]));
    return most;
}

// Which columns are printed together: as many as fit, the first in each group.
std::vector<std::vector<std::size_t>> groups(const table& t) {
    std::vector<std::vector<std::size_t>> all;
    const std::size_t first = widest(t, 0);
    std::size_t used = columns;
    for (std::size_t c = 1; c < t.head.size(); ++c) {
        const std::size_t needs = gap + widest(t, c);
        if (all.empty() || used + needs > columns) {
            all.push_back({0});
            used = first;
        }
        all.back().push_back(c);
        used += needs;
    }
    if (all.empty()) all.push_back({0});
    return all;
}

std::string line(const table& t, const std::vector<std::string>& row,
                 const std::vector<std::size_t>& shown) {
    std::string text;
    for (const std::size_t c : shown) {
        if (c != shown.front()) text += std::string(gap, ' ');
        text += padded(row[c], widest(t, c), c == 0);
    }
    return text.erase(text.find_last_not_of(' ') + 1) + "\n";
}

std::string plain(const table& t) {
    std::string text = t.title + "\n";
    for (const auto& shown : groups(t)) {
        text += line(t, t.head, shown);
        for (const auto& row : t.rows) text += line(t, row, shown);
        text += "\n";
    }
    return text;
}

std::string wrapped(const std::string& text, const std::string& indent) {
    std::istringstream words(text);
    std::string out, current = indent;
    for (std::string word; words >> word;) {
        if (width(current) + 1 + width(word) > columns && width(current) > indent.size()) {
            out += current + "\n";
            current = std::string(indent.size(), ' ');
        }
        current += (width(current) > indent.size() ? " " : "") + word;
    }
    return out + current + "\n";
}

}  // namespace

void drop_empty_columns(chapter& c) {
    for (table& t : c.tables) {
        for (std::size_t column = t.head.size(); column-- > 1;) {
            const auto empty = [&](const auto& row) { return row[column] == "-"; };
            if (t.rows.empty() || !std::ranges::all_of(t.rows, empty)) continue;
            const auto drop = [&](std::vector<std::string>& row) {
                row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
            };
            drop(t.head);
            std::ranges::for_each(t.rows, drop);
        }
    }
}

std::string plain(const chapter& c) {
    std::string text = c.title + "\n" + wrapped(c.question, "") + "\n";
    for (const table& t : c.tables) {
        text += plain(t);
        if (!t.note.empty()) text += wrapped(t.note, "  ") + "\n";
    }
    for (const std::string& finding : c.findings) text += wrapped(finding, "* ");
    for (const std::string& reason : c.not_run) text += wrapped("not run: " + reason, "- ");
    for (const std::string& source : c.sources) text += wrapped(source, "- ");
    return text;
}

}  // namespace carat::study
