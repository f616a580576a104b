// What a terminal would obey is shown, and nothing else is touched.
#include "files/visible.hpp"

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
