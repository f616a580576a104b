// Characters that a terminal would obey are shown; nothing else changes.
#include "files/visible.hpp"

#include <cstdio>
#include <gtest/gtest.h>

namespace {

using carat::files::visible;

TEST(visible, controls_are_escaped) {
    EXPECT_EQ(visible("a\x1b[31mb"), "a\\x1b[31mb");
    EXPECT_EQ(visible(std::string("\0\x07\x7f", 3)), "\\x00\\x07\\x7f");
    EXPECT_EQ(visible("\xc2\x9b"
                      "1m"),
              "\\u009b1m");  // CSI of C1
    EXPECT_EQ(visible("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"),
              "a\\u202eb\\u2066");  // right to left
}

TEST(visible, every_control_of_direction_is_escaped) {
    EXPECT_EQ(visible("a\xd8\x9c"
                      "b"),
              "a\\u061cb");
    for (const unsigned code : {0x200EU, 0x200FU, 0x202AU, 0x202BU, 0x202CU, 0x202DU, 0x202EU,
                                0x2066U, 0x2067U, 0x2068U, 0x2069U}) {
        const std::string utf8 = {'\xe2', static_cast<char>(0x80U | (code >> 6U & 0x3FU)),
                                  static_cast<char>(0x80U | (code & 0x3FU))};
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", code);
        EXPECT_EQ(visible(utf8), escape);
    }
    EXPECT_EQ(visible("\xd8\x9b\xd8\xa7"), "\xd8\x9b\xd8\xa7") << "Arabic itself";
}

TEST(beginning, ends_with_a_whole_character) {
    using carat::files::beginning;
    EXPECT_EQ(beginning("abc", 3), "abc");
    EXPECT_EQ(beginning("abc", 2), "ab");
    EXPECT_EQ(beginning("日本", 6), "日本");
    for (const std::size_t cut : {3U, 4U, 5U}) EXPECT_EQ(beginning("日本", cut), "日");
    EXPECT_EQ(beginning("日本", 2), "");
}

TEST(visible, one_line_stays_one) {
    EXPECT_EQ(visible("a\nb\r\tc\xe2\x80\xa8"
                      "d"),
              "a b  c d");
}

TEST(visible, text_stays_as_it_is) {
    for (const char* text : {"", "cpu.ladder.tiled[tile-size=64]", "2000 × 100, 3 µs – 5 °C",
                             "日本", "\xff\xc2", "\xe2\x80", "\xc2\xa0", "back\\slash"})
        EXPECT_EQ(visible(text), text);
    EXPECT_EQ(visible(visible("\x1b\n")), visible("\x1b\n"));
}

}  // namespace
