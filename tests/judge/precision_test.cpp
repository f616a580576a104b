// What a judge says of a C that is wrong or less exact than its type.
#include "lab/judge/precision.hpp"

#include <gtest/gtest.h>
#include <string_view>

namespace {

using namespace carat;

// Any C passes as a product in these, and in nothing else.
struct passing {
    std::string_view claims;

    [[nodiscard]] verify::verdict check(const void*, std::string_view claim) const {
        verify::verdict v;
        v.passed = claims.find(claim) != std::string_view::npos;
        return v;
    }
};

TEST(judge_precision, a_type_is_narrower_than_c) {
    EXPECT_EQ(judge::narrower(passing{"f32 tf32 f16"}, nullptr, dtype::f64), "f32");
    EXPECT_EQ(judge::narrower(passing{"f32 tf32 f16"}, nullptr, dtype::f32), "tf32");
    EXPECT_EQ(judge::narrower(passing{"f16"}, nullptr, dtype::f64), "f16");
    EXPECT_EQ(judge::narrower(passing{"none"}, nullptr, dtype::f64), "");
}

TEST(judge_precision, no_type_is_narrower_than_one_of_16_bits_or_integers) {
    for (const dtype type : {dtype::f16, dtype::bf16, dtype::i32})
        EXPECT_EQ(judge::narrower(passing{"f32 tf32 f16"}, nullptr, type), "");
}

}  // namespace
