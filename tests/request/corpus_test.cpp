// Corpora of products: what they hold, and that the same words give the same ones.
#include "lab/request/corpus.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/refusal.hpp"

namespace {

using namespace carat;
using request::corpus;
using request::shape;

double work(const shape& s) {
    return request::operations(s, request::operation_count::multiply_add);
}

std::string refusal(const char* text) {
    return test::refusal_of([&] { (void)corpus(text); });
}

TEST(corpora, are_named_by_their_first_word) {
    for (const char* text : {"random:1:5", "random", "stream-k:7:9", "models"})
        EXPECT_TRUE(request::is_corpus(text)) << text;
    for (const char* text : {"1:9:2", "64x64x64", "", "randomly:1:5"})
        EXPECT_FALSE(request::is_corpus(text)) << text;
}

TEST(corpora, random_products_lie_in_their_domain) {
    const auto all = corpus("random:7:200");
    ASSERT_EQ(all.size(), 200u);
    for (const shape& s : all) {
        EXPECT_GE(work(s), 2e8);
        EXPECT_LE(work(s), 1e12);
        EXPECT_GE(std::min({s.m, s.n, s.k}), 16);
        EXPECT_LE(std::max({s.m, s.n, s.k}), 16384);
    }
    // Log-uniform: as many sides below 512, the middle of 16 and 16384, as above.
    const auto below = std::ranges::count_if(all, [](const shape& s) { return s.m < 512; });
    EXPECT_GT(below, 50);
    EXPECT_LT(below, 150);
    for (const shape& s : corpus("random:7:50:1e4:1e6:8")) {
        EXPECT_LE(work(s), 1e6);
        EXPECT_EQ((s.m % 8) + (s.n % 8) + (s.k % 8), 0);
    }
}

TEST(corpora, the_same_words_give_the_same_products_everywhere) {
    EXPECT_EQ(corpus("random:7:20"), corpus("random:7:20"));
    EXPECT_NE(corpus("random:7:20"), corpus("random:8:20"));
    EXPECT_EQ(corpus("random:7:1").front(), (shape{2986, 11529, 36}));
}

TEST(corpora, lists_hold_several) {
    EXPECT_EQ(request::parse_shapes("random:7:20,64,models").size(), 20u + 1 + 72);
    EXPECT_EQ(request::parse_shapes("stream-k:1:5").size(), 5u);
}

TEST(corpora, mistakes_name_themselves) {
    EXPECT_NE(refusal("random:7").find("is not random:SEED:COUNT"), std::string::npos);
    EXPECT_NE(refusal("random:x:5").find("'x' as its seed"), std::string::npos);
    EXPECT_NE(refusal("random:7:0").find("ask for 1 to 10000"), std::string::npos);
    EXPECT_NE(refusal("random:7:5:1e6:1e5").find("widen"), std::string::npos);
    EXPECT_NE(refusal("random:7:5:1:1e9:0").find("from 1 to 4096"), std::string::npos);
    EXPECT_NE(refusal("stream-k").find("is not stream-k:SEED:COUNT"), std::string::npos);
    EXPECT_NE(refusal("models:3").find("is none of"), std::string::npos);
}

}  // namespace
