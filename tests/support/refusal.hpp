// What a refusal of the public call must say, and leave as it was.
#pragma once

#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <carat/error.hpp>

namespace carat::test {

// The one line with which `call` is refused, by `code` if one is given; empty if it is not.
template <class Call>
std::string refusal_of(const Call& call, std::optional<error_code> code = {}) {
    try {
        call();
    } catch (const error& why) {
        const std::string message = why.what();
        EXPECT_EQ(why.code(), code.value_or(why.code())) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        return message;
    }
    return "";
}

// Expects `call` to throw `code` in one line that contains all of `words`.
template <class Call>
void expect_refusal(const Call& call, error_code code, const std::vector<std::string>& words) {
    try {
        call();
        ADD_FAILURE() << words[0] << " was accepted";
    } catch (const error& why) {
        const std::string message = why.what();
        EXPECT_EQ(why.code(), code) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
        for (const std::string& word : words)
            EXPECT_NE(message.find(word), std::string::npos) << message;
    }
}

// Calls that must be refused, on memory that must stay as it is.
class refusals : public testing::Test {
  protected:
    // `call` is given 4096 doubles.
    template <class Call>
    void refuse(error_code code, const std::vector<std::string>& words, const Call& call) {
        std::vector<double> memory(4096);
        std::iota(memory.begin(), memory.end(), 0);
        const std::vector<double> before = memory;
        expect_refusal([&] { call(memory.data()); }, code, words);
        EXPECT_EQ(memory, before) << words[0];
        ++refused_;
    }
    int refused_ = 0;
};

}  // namespace carat::test
