#include "lab/report/text.hpp"

#include <algorithm>

#include "lab/report/study.hpp"

namespace carat::report {

namespace {

constexpr std::size_t gap = 2;

std::string padded(const std::string& text, std::size_t to, align side) {
    const std::string space(to - std::min(to, columns_of(text)), ' ');
    return side == align::left ? text + space : space + text;
}

std::size_t widest(const table& t, std::size_t column) {
    std::size_t most = columns_of(t.columns[column].head);
    for (const auto& row : t.rows) most = std::max(most, columns_of(row[column]));
    return most;
}

// Which columns are printed together: as many as fit, the first in each group.
std::vector<std::vector<std::size_t>> groups(const table& t, std::size_t columns) {
    std::vector<std::vector<std::size_t>> all;
    const std::size_t first = widest(t, 0);
    std::size_t used = columns;
    for (std::size_t c = 1; c < t.columns.size(); ++c) {
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

// `of` gives the text of a column.
template <class Of>
std::string line(const table& t, const std::vector<std::size_t>& shown, const Of& of) {
    std::string text;
    for (const std::size_t c : shown) {
        if (c != shown.front()) text += std::string(gap, ' ');
        text += padded(of(c), widest(t, c), t.columns[c].side);
    }
    return text.erase(text.find_last_not_of(' ') + 1) + "\n";
}

std::string item(const std::string& sentence) {
    return wrapped(sentence, 2, usual_columns) + "\n";
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t most) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const std::size_t columns = columns_of(word);
        if (column > 0 && column + 1 + columns > most) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += columns;
    }
    return out;
}

std::string text(const table& marked, std::size_t columns) {
    table t = marked;
    for (column& c : t.columns) std::erase(c.head, '`');
    for (auto& row : t.rows)
        for (std::string& cell : row) std::erase(cell, '`');
    std::string said;
    for (const auto& shown : groups(t, columns)) {
        if (!said.empty()) said += "\n";
        said += line(t, shown, [&](std::size_t c) { return t.columns[c].head; });
        for (const auto& row : t.rows)
            said += line(t, shown, [&](std::size_t c) { return row[c]; });
    }
    return said;
}

std::string text(const results::chapter& c) {
    std::string said;
    if (!c.title.empty()) said = c.title + "\n" + wrapped(c.question, 0, usual_columns) + "\n\n";
    for (const table& t : study_tables(c)) {
        said += t.title + "\n" + text(t) + "\n";
        if (!t.note.empty()) said += "  " + wrapped(t.note, 2, usual_columns - 2) + "\n\n";
    }
    for (const std::string& finding : c.findings) said += item("* " + finding);
    for (const std::string& reason : c.not_run) said += item("- not run: " + reason);
    for (const std::string& source : c.sources) said += item("- " + source);
    return said;
}

}  // namespace carat::report
