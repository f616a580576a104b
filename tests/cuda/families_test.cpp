// Which GPUs kernels of mma multiply on, and what CARAT_FORCE_FAMILY may say; needs no GPU.
#include "cuda/engine/families.hpp"

#include <gtest/gtest.h>

#include <carat/error.hpp>

namespace {

using namespace carat;
using gpu_engine::forces_mma;
using gpu_engine::reason_against_mma;

TEST(families, mma_begins_at_8_0_and_fp8_at_8_9) {
    EXPECT_EQ(reason_against_mma(dtype::f16, 75),
              "its kernels begin at compute capability 8.0 and this GPU has 7.5: take another "
              "implementation");
    for (const int capability : {80, 86, 89, 90, 100, 120})
        for (const dtype type : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i8})
            EXPECT_EQ(reason_against_mma(type, capability), "") << capability;
    for (const dtype type : {dtype::e4m3, dtype::e5m2}) {
        EXPECT_EQ(reason_against_mma(type, 86),
                  "fp8 begins at compute capability 8.9 and this GPU has 8.6: convert A and B to "
                  "f16 or bf16");
        EXPECT_EQ(reason_against_mma(type, 89), "");
    }
}

// Code for 8.0 runs on an 8.9, and its fp8 kernels would store zeros.
TEST(families, fp8_needs_code_that_has_it) {
    using gpu_engine::reason_against_code;
    EXPECT_EQ(reason_against_code(dtype::e4m3, 80),
              "fp8 needs code for compute capability 8.9 or later, and this build holds code for "
              "8.0: build with CARAT_GPUS=native, or convert A and B to f16 or bf16");
    EXPECT_EQ(reason_against_code(dtype::e5m2, 89), "");
    EXPECT_EQ(reason_against_code(dtype::f16, 80), "");
}

TEST(families, only_mma_can_be_forced) {
    EXPECT_FALSE(forces_mma(nullptr));
    EXPECT_FALSE(forces_mma(""));
    EXPECT_TRUE(forces_mma("mma"));
    try {
        (void)forces_mma("wgmma");
        ADD_FAILURE() << "wgmma was accepted";
    } catch (const error& refused) {
        EXPECT_EQ(refused.code(), error_code::invalid_argument);
        EXPECT_STREQ(refused.what(), "CARAT_FORCE_FAMILY=wgmma: unknown; use mma, or unset it");
    }
}

}  // namespace
