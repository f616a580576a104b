#include "lab/report/table.hpp"

#include "lab/report/words.hpp"

namespace carat::report {

namespace {

std::string row(const std::vector<std::string>& cells) {
    std::string said = "|";
    for (const std::string& cell : cells) said += " " + plain(cell) + " |";
    return said + "\n";
}

}  // namespace

std::string markdown(const table& t) {
    std::vector<std::string> heads;
    std::string rule = "|";
    for (const column& c : t.columns) {
        heads.push_back(c.head);
        rule += c.side == align::left ? ":--|" : "--:|";
    }
    std::string said = row(heads) + rule + "\n";
    for (const auto& cells : t.rows) said += row(cells);
    return said + (t.note.empty() ? "\n" : "\n" + plain(t.note) + "\n\n");
}

}  // namespace carat::report
