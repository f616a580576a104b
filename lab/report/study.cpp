#include "lab/report/study.hpp"

#include <fmt/format.h>

#include "lab/report/words.hpp"

namespace carat::report {

namespace {

std::string items(const std::vector<std::string>& sentences, const std::string& before) {
    std::string said;
    for (const std::string& sentence : sentences) said += "- " + before + plain(sentence) + "\n";
    return said;
}

}  // namespace

std::vector<table> study_tables(const results::chapter& study) {
    std::vector<table> all;
    for (const results::chapter_table& source : study.tables) {
        table t{source.title, {}, source.rows, source.note};
        for (const std::string& head : source.head)
            t.columns.push_back({head, t.columns.empty() ? align::left : align::right});
        all.push_back(std::move(t));
    }
    return all;
}

std::string study_markdown(const results::document& doc) {
    std::string said;
    for (const results::chapter& study : doc.studies) {
        said += fmt::format("## {}\n\n{}\n\n{}\n", plain(study.title), plain(study.question),
                            items(study.findings, ""));
        for (const table& t : study_tables(study))
            said += fmt::format("### {}\n\n{}", plain(t.title), markdown(t));
        said += items(study.not_run, "Not run: ") + items(study.sources, "") + "\n";
    }
    return said;
}

}  // namespace carat::report
