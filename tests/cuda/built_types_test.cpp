// A build with the GPU kernels of f32 and fp8 (CARAT_GPU_TYPES=f32,fp8).
#include "cuda/common/built_types.hpp"

#include <gtest/gtest.h>
#include <string>

#include <carat/error.hpp>

#include "ladder/cuda/unsupported_type.hpp"

namespace {

using carat::dtype;
using how = carat::core::gpu_arithmetic;
using carat::cuda::why_not_built;

TEST(built_types, are_multiplied) {
    EXPECT_EQ(why_not_built(dtype::f32, how::native), "");
    for (const dtype type : {dtype::e4m3, dtype::e5m2})
        for (const how sums : {how::native, how::fast_fp8})
            EXPECT_EQ(why_not_built(type, sums), "");
}

TEST(built_types, others_are_refused_with_the_remedy) {
    EXPECT_EQ(why_not_built(dtype::bf16, how::native),
              "this build has GPU kernels for f32, fp8 alone, and none for bf16: ./dev build "
              "compiles all (CARAT_GPU_TYPES=all)");
    for (const how sums : {how::tf32, how::three_tf32})
        EXPECT_NE(why_not_built(dtype::f32, sums).find("none for tf32:"), std::string::npos);
    for (const dtype type : {dtype::f64, dtype::f16, dtype::i8})
        EXPECT_NE(why_not_built(type, how::native), "");
}

TEST(built_types, are_those_of_the_ladder_whose_integers_come_with_i8) {
    using carat::ladder::cuda::unsupported_type;
    EXPECT_EQ(unsupported_type(dtype::f32), "");
    for (const dtype type : {dtype::i8, dtype::i32})
        EXPECT_NE(unsupported_type(type).find("none for i8:"), std::string::npos);
    for (const dtype type : {dtype::f64, dtype::f16, dtype::bf16})
        EXPECT_NE(unsupported_type(type), "");
}

TEST(built_types, a_kernel_left_out_that_is_called_after_all_throws) {
    try {
        carat::cuda::refuse_type("i8");
        FAIL();
    } catch (const carat::error& why) {
        EXPECT_EQ(why.code(), carat::error_code::unsupported);
        EXPECT_EQ(std::string(why.what()).find("on a GPU: this build has"), 0U) << why.what();
    }
}

}  // namespace
