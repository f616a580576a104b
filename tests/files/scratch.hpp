// A folder of a test's own.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include <carat/error.hpp>

class scratch : public testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    static std::string text_of(const std::filesystem::path& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }

    // The message with which `action` is refused; "" if it is not.
    template <class Action>
    static std::string refusal(const Action& action) {
        try {
            action();
        } catch (const carat::error& why) {
            EXPECT_EQ(std::string(why.what()).find('\n'), std::string::npos) << why.what();
            return why.what();
        }
        return "";
    }

    std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                   ("carat-files-" + std::to_string(getpid()) +
                                    testing::UnitTest::GetInstance()->current_test_info()->name());
};
