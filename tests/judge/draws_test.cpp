// The random streams of a judgement: known answers, and their independence.
#include "lab/judge/draws.hpp"

#include <gtest/gtest.h>
#include <set>

namespace carat::judge {
namespace {

// RFC 8439 has a counter of 32 bits and a nonce of 96, which are one with zeros in the first: its
// keystream for a key of zeros (appendix A.1, test vector 1), in words of 64 bits.
TEST(Draws, AreTheKeystreamOfChaCha20) {
    stream zeros(stream_key{}, 0);
    EXPECT_EQ(zeros.draw(), 0x903df1a0ade0b876U);
    EXPECT_EQ(zeros.draw(), 0x28bd8653e56a5d40U);
    for (int i = 2; i < 8; ++i) (void)zeros.draw();
    EXPECT_EQ(zeros.draw(), 0x7a385155bee7079fU);  // test vector 2: block 1
}

TEST(Draws, FollowFromTheWholeSeed) {
    EXPECT_EQ(draws("a seed").operands.draw(), draws("a seed").operands.draw());
    std::set<std::uint64_t> firsts;
    for (const char* seed : {"1", "2", "a seed", "a seed ", "a much longer seed than 32 bytes, 1",
                             "a much longer seed than 32 bytes, 2"}) {
        draws all(seed);
        for (stream* one : {&all.shapes, &all.places, &all.operands, &all.checks, &all.order})
            firsts.insert(one->draw());
    }
    EXPECT_EQ(firsts.size(), 30U);
}

// However many shapes are drawn, operands are the same.
TEST(Draws, OfOnePurposeDontDependOnAnother) {
    draws all("x"), other("x");
    for (int i = 0; i < 100; ++i) (void)all.shapes.between(1, 90);
    EXPECT_EQ(all.operands.draw(), other.operands.draw());
}

TEST(Draws, StayInTheirRange) {
    draws all("x");
    std::set<std::int64_t> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(all.shapes.between(-2, 2));
    EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Draws, SeedsHave128Bits) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(fresh_seed());
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_EQ(seen.begin()->size(), 32U);
}

}  // namespace
}  // namespace carat::judge
