#include "lab/results/chapter.hpp"

#include "lab/results/archive.hpp"

namespace carat::results {

namespace {

using nlohmann::json;

template <class Archive, class Table>
void table_fields(const Archive& field, Table& t) {
    field("title", t.title);
    field("head", t.head);
    field("rows", t.rows);
    field("note", t.note);
}

template <class Archive, class Chapter>
void chapter_fields(const Archive& field, Chapter& c) {
    field("study", c.study);
    field("title", c.title);
    field("question", c.question);
    field("extent", c.extent);
    field("findings", c.findings);
    field("left_out", c.not_run);
    field("sources", c.sources);
    field.added("trials", c.trials);
    field.added("settings", c.settings);
}

chapter_table table_from(const files::fields& in) {
    chapter_table t;
    table_fields(in, t);
    for (const auto& row : t.rows)
        if (row.size() != t.head.size())
            in.fail("rows", "has a row that is not as long as its head");
    return t;
}

}  // namespace

json to_json(const chapter& c) {
    json out = json::object();
    chapter_fields(writer(out), c);
    out["tables"] = json::array();
    for (const chapter_table& t : c.tables) table_fields(writer(out["tables"].emplace_back()), t);
    return out;
}

chapter chapter_from(const files::fields& in) {
    chapter c;
    chapter_fields(in, c);
    in.each("tables", [&](const files::fields& t) { c.tables.push_back(table_from(t)); });
    return c;
}

}  // namespace carat::results
