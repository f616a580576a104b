// A chapter as text: nothing is lost, nothing is wider than a terminal.
#include "lab/study/chapter.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/report/text.hpp"
#include "lab/results/document.hpp"

namespace {

using namespace carat;

std::size_t columns(const std::string& line) {
    std::size_t count = 0;
    for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return count;
}

study::chapter wide_chapter() {
    study::chapter c{"ladder", "Title", "A question?", "quick", {}, {}, {}, {}};
    study::table t{"Wide", {"row"}, {{"first"}, {"second"}}, "A note."};
    for (int i = 0; i < 12; ++i) {
        t.head.push_back("column" + std::to_string(i));
        t.rows[0].push_back("12.5×");
        t.rows[1].push_back("value" + std::to_string(i));
    }
    c.tables.push_back(t);
    std::string long_sentence = "A finding";
    for (int i = 0; i < 60; ++i) long_sentence += " of many words";
    c.findings.push_back(long_sentence);
    c.not_run.emplace_back("vendor.mkl: not here");
    return c;
}

TEST(chapter, fits_eighty_columns_and_keeps_every_value) {
    const std::string text = report::text(wide_chapter());
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 80U) << line;
    for (int i = 0; i < 12; ++i) {
        EXPECT_NE(text.find("column" + std::to_string(i)), std::string::npos);
        EXPECT_NE(text.find("value" + std::to_string(i)), std::string::npos);
    }
    EXPECT_NE(text.find("not run: vendor.mkl: not here"), std::string::npos);
}

TEST(chapter, repeats_the_first_column_of_a_table_that_is_cut) {
    const std::string text = report::text(wide_chapter());
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("second", at)) != std::string::npos; ++at) ++count;
    EXPECT_GE(count, 2U);
}

TEST(chapter, drops_columns_that_say_nothing_and_no_others) {
    study::chapter c = wide_chapter();
    c.tables[0].rows[0][3] = c.tables[0].rows[1][3] = "-";
    c.tables[0].rows[0][5] = "-";
    study::drop_empty_columns(c);
    EXPECT_EQ(c.tables[0].head.size(), 12U);
    EXPECT_EQ(c.tables[0].head[3], "column3");
    EXPECT_EQ(c.tables[0].rows[1][3], "value3");
    EXPECT_EQ(c.tables[0].rows[0][4], "-");
}

TEST(chapter, goes_to_json_whole) {
    const nlohmann::json json = to_json(wide_chapter());
    EXPECT_EQ(json["study"], "ladder");
    EXPECT_EQ(json["tables"][0]["rows"][1][12], "value11");
    EXPECT_EQ(json["tables"][0]["head"].size(), 13U);
    EXPECT_EQ(json["left_out"].size(), 1U);
}

}  // namespace
