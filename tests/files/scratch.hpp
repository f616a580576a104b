// A folder of a test's own.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

class scratch : public testing::Test {
  protected:
    static std::string text_of(const std::filesystem::path& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    template <class Action>
    static std::string refusal(const Action& action) {
        return carat::test::refusal_of(action);
    }

    const carat::test::scratch_folder own;
    const std::filesystem::path folder = own.path();
};
