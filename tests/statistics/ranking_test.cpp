// Letters and ranks, on displays worked by hand and on every relation of up to five groups.
#include "lab/statistics/ranking.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

namespace carat::statistics {
namespace {

using letters = std::vector<std::string>;
using pairs = std::vector<index_pair>;

std::vector<std::size_t> in_order(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

TEST(letter_display, examples_worked_by_hand) {
    EXPECT_EQ(letter_display({}, {}), letters{});
    EXPECT_EQ(letter_display({}, in_order(1)), letters{"a"});
    EXPECT_EQ(letter_display({}, in_order(3)), (letters{"a", "a", "a"}));
    EXPECT_EQ(letter_display(pairs{{0, 1}, {0, 2}, {1, 2}}, in_order(3)), (letters{"a", "b", "c"}));
    EXPECT_EQ(letter_display(pairs{{0, 2}}, in_order(3)), (letters{"a", "ab", "b"}));
    // The best gets "a", wherever it stands in the input.
    EXPECT_EQ(letter_display(pairs{{0, 2}}, std::vector<std::size_t>{2, 1, 0}),
              (letters{"b", "ab", "a"}));
    // Piepho (2004): two treatments of the middle bridge both ends.
    EXPECT_EQ(letter_display(pairs{{0, 3}, {0, 2}, {1, 3}}, in_order(4)),
              (letters{"a", "ab", "bc", "c"}));
}

TEST(letter_display, shares_a_letter_exactly_when_not_different_for_every_relation_of_five) {
    constexpr std::size_t count = 5;
    pairs all;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) all.emplace_back(i, j);
    }
    int tried = 0;
    for (unsigned relation = 0; relation < 1U << all.size(); ++relation, ++tried) {
        pairs different;
        for (std::size_t bit = 0; bit < all.size(); ++bit) {
            if (relation >> bit & 1U) different.push_back(all[bit]);
        }
        const letters display = letter_display(different, in_order(count));
        for (std::size_t bit = 0; bit < all.size(); ++bit) {
            const auto& [i, j] = all[bit];
            const bool share = display[i].find_first_of(display[j]) != std::string::npos;
            ASSERT_EQ(share, !(relation >> bit & 1U)) << relation << " pair " << i << j;
        }
    }
    EXPECT_EQ(tried, 1024);
}

TEST(letter_display, goes_on_after_z) {
    pairs different;
    for (std::size_t i = 0; i < 28; ++i) {
        for (std::size_t j = i + 1; j < 28; ++j) {
            if (j != i + 1) different.emplace_back(i, j);
        }
    }
    const letters display = letter_display(different, in_order(28));
    EXPECT_EQ(display[0], "a");
    EXPECT_EQ(display[1], "a,b");
    EXPECT_EQ(display[26], "z,aa");
    EXPECT_EQ(display[27], "aa");
}

TEST(rank_ranges, admit_what_was_not_shown) {
    const auto ranks = rank_ranges(pairs{{0, 2}, {0, 3}, {1, 3}}, 4);
    const std::size_t best[] = {1, 1, 2, 3}, worst[] = {2, 3, 4, 4};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(ranks[i].best, best[i]);
        EXPECT_EQ(ranks[i].worst, worst[i]);
    }
}

TEST(ranking, refuses_groups_that_are_not_there) {
    EXPECT_THROW(letter_display(pairs{{0, 3}}, in_order(3)), std::invalid_argument);
    EXPECT_THROW(letter_display(pairs{{1, 1}}, in_order(3)), std::invalid_argument);
    EXPECT_THROW(letter_display({}, std::vector<std::size_t>{0, 0, 1}), std::invalid_argument);
    EXPECT_THROW(rank_ranges(pairs{{0, 2}}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace carat::statistics
