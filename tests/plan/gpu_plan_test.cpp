// How a plan of a call on a GPU reads.
#include "plan/gpu_plan.hpp"

#include <gtest/gtest.h>

namespace {

using carat::plan::gpu_plan;
using carat::plan::text_of;

TEST(gpu_plan, says_what_it_divides_and_what_is_shared) {
    const gpu_plan tiles{.family = "wgmma",
                         .schedule = "cooperative",
                         .block_m = 128,
                         .block_n = 256,
                         .cluster_m = 2};
    EXPECT_EQ(text_of(tiles), "wgmma: tiles of 128 x 256, cooperative, B multicast to 2 CTAs");
    gpu_plan split = tiles;
    split.cluster_m = 1;
    split.cluster_n = 2;
    split.swap_ab = true;
    split.split_k = 8;
    split.cluster_k = 4;
    EXPECT_EQ(text_of(split),
              "wgmma: tiles of 128 x 256, cooperative, A and B swapped, K in 8 parts, 4 in a "
              "cluster, A multicast to 2 CTAs");
    split.cluster_m = 4;
    EXPECT_TRUE(text_of(split).ends_with("A multicast to 2 CTAs, B multicast to 4 CTAs"))
        << text_of(split);
}

TEST(gpu_plan, says_what_is_packed) {
    EXPECT_EQ(text_of({.family = "mma", .block_m = 64, .block_n = 32, .packs_a = true}),
              "mma: tiles of 64 x 32, A packed");
    EXPECT_EQ(text_of({.family = "mma", .packs_b = true}), "mma, B packed");
    EXPECT_EQ(text_of({.family = "mma", .packs_a = true, .packs_b = true}), "mma, A and B packed");
    EXPECT_EQ(text_of({.family = "gemv"}), "gemv");
}

}  // namespace
