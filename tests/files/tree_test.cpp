// Compares the library's JSON parser with nlohmann's: both must accept, refuse and read the same
// texts.
#include "files/tree.hpp"

#include <gtest/gtest.h>
#include <random>

#include "files/read.hpp"
#include "lab/files/document.hpp"
#include "tests/files/scratch.hpp"

namespace {

using namespace carat;
using files::tree;
using nlohmann::json;
using parsing = scratch;

// The text that a tree stands for, as nlohmann's parser reads it.
json as_json(const tree& from) {
    switch (from.what) {
        case tree::kind::text:
            return from.text;
        case tree::kind::list: {
            json list = json::array();
            for (const tree& element : from) list.push_back(as_json(element));
            return list;
        }
        case tree::kind::object: {
            json object = json::object();
            for (std::size_t i = 0; i < from.names.size(); ++i)
                object[from.names[i]] = as_json(from.elements[i]);
            return object;
        }
        default:
            return json::parse(from.text);
    }
}

void expect_as_nlohmann(const std::string& text) {
    const json known = json::parse(text, nullptr, false);
    try {
        const tree found = files::parse_tree(text, "x.json");
        ASSERT_FALSE(known.is_discarded()) << text;
        EXPECT_EQ(as_json(found), known) << text;
    } catch (const error& why) {
        EXPECT_NE(std::string(why.what()).find("x.json: is not JSON"), std::string::npos);
        EXPECT_TRUE(known.is_discarded()) << text;
    }
}

TEST_F(parsing, texts_are_read_or_refused_as_another_parser_does) {
    for (const char* text : {"",
                             " ",
                             "null",
                             "true",
                             "false",
                             "nul",
                             "truefalse",
                             "0",
                             "-0",
                             "01",
                             "-",
                             "+1",
                             "1.",
                             ".5",
                             "1.5e",
                             "1.5e+7",
                             "-12E-3",
                             "\"\"",
                             "\"a",
                             "\"\\",
                             "\"\\x\"",
                             "\"\\\"\\\\\\/\\b\\f"
                             "\\n\\r\\t\"",
                             "\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"",
                             "\"\\u12\"",
                             "\"\\u12g4\"",
                             "\"\\uD83D\"",
                             "\"\\uDE00\"",
                             "\"\\uD83Dx\"",
                             "\"\\uD83D\\u0041\"",
                             "\"\n\"",
                             "[]",
                             "[ ]",
                             "[1",
                             "[1,]",
                             "[,1]",
                             "[1 2]",
                             "[1]]",
                             "[[],{}]",
                             "{}",
                             "{ }",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{\"a\":1 \"b\":2}",
                             "{\"a\": 1, \"b\": [2, {\"c\": \"d\"}]}",
                             "{\"a\":1,\"a\":2}",
                             " \t\r\n[ 1 , 2 ] \n",
                             "{\"a\":1}x",
                             "/**/1"})
        expect_as_nlohmann(text);
}

// Random pieces: mostly no JSON, often nearly.
TEST_F(parsing, so_are_texts_at_random) {
    const std::vector<std::string> pieces = {"{",  "}",     "[",       "]",     ",",    ":",
                                             "\"", "\"k\"", "\"k\":1", "1",     "-",    ".",
                                             "e",  " ",     "\\",      "u0041", "null", "0"};
    std::mt19937 random(34);
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (auto count = random() % 9; count > 0; --count)
            text += pieces[random() % pieces.size()];
        expect_as_nlohmann(text);
    }
}

TEST_F(parsing, nesting_has_its_limit) {
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + std::string(levels, ']');
    };
    EXPECT_NO_THROW((void)files::parse_tree(nested(files::most_levels), "x.json"));
    for (const std::size_t levels : {files::most_levels + std::size_t{1}, std::size_t{5'000'000}})
        EXPECT_NE(refusal([&] {
                      (void)files::parse_tree(nested(levels), "x.json");
                  }).find("x.json: is nested deeper than 64 levels"),
                  std::string::npos);
}

TEST_F(parsing, fields_are_of_their_type_or_named) {
    const tree object = files::parse_tree(
        R"({"i": 3, "half": 0.5, "big": 4294967296, "text": "t", "m": {"p": 1},
            "o": {"p": 1, "q": [2, null]}, "none": null})",
        "x");
    const files::tree_fields in(object, "x.json:", "remedy");
    EXPECT_EQ(in.get<int>("i"), 3);
    EXPECT_EQ(in.get<std::int64_t>("big"), 4294967296);
    EXPECT_EQ(in.get<std::string>("text"), "t");
    using numbers = std::map<std::string, int>;
    EXPECT_EQ(in.get<numbers>("m"), (numbers{{"p", 1}}));
    for (const auto& [key, value] : {std::pair{"half", "0.5"},
                                     {"big", "4294967296"},
                                     {"text", "\"t\""},
                                     {"o", R"({"p":1,"q":[2,null]})"},
                                     {"none", "null"}})
        EXPECT_EQ(refusal([&] { (void)in.get<int>(key); }),
                  std::string("x.json: ") + key + " is " + value +
                      ", expected a whole number from -2147483648 to 2147483647: remedy");
    EXPECT_EQ(refusal([&] { (void)in.get<std::string>("i"); }),
              "x.json: i is 3, expected a string: remedy");
    EXPECT_EQ(refusal([&] { (void)in.get<int>("absent"); }), "x.json: absent is missing: remedy");
}

}  // namespace
