// Text cut to a width: between characters, and by their number.
#include "cli/terminal.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat::cli;

TEST(terminal, names_are_cut_between_characters) {
    EXPECT_EQ(shortened("ααααααα", 7), "ααααααα");
    EXPECT_EQ(shortened("αααααααα", 7), "αααα...");
    EXPECT_EQ(shortened_middle("αβγδεζηθικ", 10), "αβγδεζηθικ");
    EXPECT_EQ(shortened_middle("αβγδεζηθικλ", 10), "αβγδ..θικλ");
    for (std::size_t width = 8; width < 30; ++width) {
        const std::string cut = shortened_middle("engine.日本語の名前.avx512.14x32", width);
        EXPECT_EQ(carat::cli::shortened_middle(cut, width), cut);
    }
}

TEST(terminal, words_are_wrapped_by_their_columns) {
    // 11 words of 6 columns and their blanks are 76; as bytes they would be twice as many.
    std::string text = "αααααα";
    for (int i = 0; i < 10; ++i) text += " αααααα";
    EXPECT_EQ(wrapped(text, 3), text);
    EXPECT_EQ(wrapped(text + " α", 3), text + "\n   α");
}

}  // namespace
