// Every short text over the characters that options use is read as something sensible or refused
// with one line that says of what.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <carat/error.hpp>

#include "lab/request/request.hpp"

namespace {

using namespace carat;

// All texts of up to `longest` letters, the shortest first.
void each_text(std::string_view letters, int longest, const std::function<void(std::string)>& f) {
    std::string text;
    const std::function<void(int)> grow = [&](int left) {
        f(text);
        if (left == 0) return;
        for (const char letter : letters) {
            text += letter;
            grow(left - 1);
            text.pop_back();
        }
    };
    grow(longest);
}

struct outcome {
    int read = 0, refused = 0;
};

outcome over(const std::string& what, std::string_view letters, int longest,
             const std::function<void(const std::string&)>& read) {
    outcome all;
    each_text(letters, longest, [&](const std::string& text) {
        SCOPED_TRACE("'" + text + "'");
        try {
            read(text);
            ++all.read;
        } catch (const error& failure) {
            const std::string told = failure.what();
            EXPECT_EQ(failure.code(), error_code::invalid_argument) << told;
            EXPECT_NE(told.find(what), std::string::npos) << told;
            EXPECT_EQ(told.find('\n'), std::string::npos) << told;
            ++all.refused;
        } catch (const std::exception& failure) {
            ADD_FAILURE() << failure.what();
        }
    });
    return all;
}

TEST(any_text, of_sizes) {
    const outcome all = over("size", "019x:,- ", 5, [](const std::string& text) {
        for (const request::shape& s : request::parse_shapes(text)) {
            EXPECT_GE(s.m, 1);
            EXPECT_GE(s.n, 1);
            EXPECT_GE(s.k, 1);
        }
    });
    EXPECT_GT(all.read, 400);
    EXPECT_GT(all.refused, 20000);
}

TEST(any_text, of_thread_counts) {
    const outcome all = over("threads", "012,-. ", 5, [](const std::string& text) {
        for (const int count : request::parse_threads(text, 16)) {
            EXPECT_GE(count, 1);
            EXPECT_LE(count, 16);
        }
    });
    EXPECT_GT(all.read, 20);
    EXPECT_GT(all.refused, 1000);
}

TEST(any_text, of_distributions) {
    for (const std::string name : {"uniform", "normal", "integers", "ill-conditioned", "zeros"}) {
        const outcome all = over("distribution", "01-.e,()", 5, [&](const std::string& text) {
            const auto d = workload::parse_distribution(name + text);
            EXPECT_EQ(workload::parse_distribution(workload::to_string(d)), d);
        });
        EXPECT_GE(all.read, 1) << name;
        EXPECT_GT(all.refused, 1000) << name;
    }
}

TEST(any_text, of_layouts) {
    const outcome all = over("layout", "ntNT 0+", 5, [](const std::string& text) {
        const request::storage stored = request::parse_storage(text);
        EXPECT_EQ(request::parse_storage(request::to_string(stored)), stored);
    });
    EXPECT_EQ(all.read, 4 + 8 + 4 + 8 + 4);  // nn, nnn, nn+0, nnn+0, nn+00
}

}  // namespace
