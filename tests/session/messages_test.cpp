// What a worker is told arrives whole.
#include "lab/workers/messages.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace {

using namespace carat;

// Ends that lie in a GPU's memory were once lost, and products told by the host measured instead.
TEST(messages, an_operation_arrives_with_all_that_it_asks) {
    rows::call asked;
    asked.groups = "3,0,2:device";
    asked.alpha = 2;
    asked.beta = 1;
    asked.other_e = true;
    asked.last = {.bias = true, .f = rows::activation::gelu};
    const core::problem p = core::row_major_problem(dtype::f32, 5, 7, 11);
    const rows::operation all = rows::operation_of(p, asked);
    ASSERT_TRUE(all.sizes_on_device);
    const auto message = workers::to_json(all);
    const rows::operation back = workers::operation_from(message);
    EXPECT_EQ(workers::to_json(back), message);
    EXPECT_TRUE(back.sizes_on_device);
    EXPECT_EQ(back.rows, all.rows);
    EXPECT_EQ(back.one.b_layout.row_stride, 7);
    EXPECT_TRUE(back.other_e && back.last.bias);
    EXPECT_EQ(back.last.f, rows::activation::gelu);
}

TEST(messages, what_an_older_build_does_not_say_is_what_it_knows) {
    auto message = workers::to_json(rows::operation(core::row_major_problem(dtype::f64, 2, 3, 4), 6,
                                                    rows::placement::pointers));
    for (const char* added : {"count", "lies", "rows", "sizes_on_device", "prepared", "other_e",
                              "block_scales", "bias", "activation"})
        message.erase(added);
    const rows::operation back = workers::operation_from(message);
    EXPECT_TRUE(back.is_plain());
    EXPECT_EQ(back.one.k, 4);
}

TEST(messages, an_infinite_error_arrives) {
    verify::verdict v;
    v.error_ulp = std::numeric_limits<double>::infinity();
    v.bound_ulp = 3;
    v.col = 8;
    const verify::verdict back = workers::verdict_from(workers::to_json(v));
    EXPECT_EQ(back.error_ulp, v.error_ulp);
    EXPECT_EQ(back.bound_ulp, 3);
    EXPECT_EQ(back.col, 8);
}

}  // namespace
