#include "lab/report/study.hpp"

#include <fmt/format.h>

#include "lab/report/words.hpp"

namespace carat::report {

namespace {

using nlohmann::json;

std::string row(const json& cells) {
    std::string said = "|";
    for (const json& cell : cells) said += " " + plain(cell.get<std::string>()) + " |";
    return said + "\n";
}

std::string table(const json& t) {
    std::string said = fmt::format("### {}\n\n{}|:--|", plain(t["title"]), row(t["head"]));
    for (std::size_t column = 1; column < t["head"].size(); ++column) said += "--:|";
    said += "\n";
    for (const json& cells : t["rows"]) said += row(cells);
    const std::string note = t["note"];
    return said + (note.empty() ? "\n" : "\n" + plain(note) + "\n\n");
}

std::string items(const json& sentences, const std::string& before) {
    std::string said;
    for (const json& sentence : sentences)
        said += "- " + before + plain(sentence.get<std::string>()) + "\n";
    return said;
}

}  // namespace

std::string study_markdown(const json& results) {
    std::string said;
    for (const json& study : results.value("studies", json::array())) {
        said += fmt::format("## {}\n\n{}\n\n{}\n", plain(study["title"]), plain(study["question"]),
                            items(study["findings"], ""));
        for (const json& t : study["tables"]) said += table(t);
        said += items(study["left_out"], "Left out: ") + items(study["sources"], "") + "\n";
    }
    return said;
}

}  // namespace carat::report
