// Which GPUs kernels of mma multiply on, and what CARAT_FORCE_FAMILY may say; needs no GPU.
#include "cuda/engine/families.hpp"

#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "cuda/families/mma/choose.hpp"

namespace {

using namespace carat;
using cuda::mma::reason_against;
using cuda::mma::reason_against_code;
using gpu_engine::forces_mma;

TEST(families, mma_begins_at_8_0_and_fp8_at_8_9) {
    EXPECT_EQ(reason_against(dtype::f16, 75),
              "its kernels begin at compute capability 8.0 and this GPU has 7.5: take another "
              "implementation");
    for (const int capability : {80, 86, 89, 90, 100, 120})
        for (const dtype type : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i8})
            EXPECT_EQ(reason_against(type, capability), "") << capability;
    for (const dtype type : {dtype::e4m3, dtype::e5m2}) {
        EXPECT_EQ(reason_against(type, 86),
                  "fp8 begins at compute capability 8.9 and this GPU has 8.6: convert A and B to "
                  "f16 or bf16");
        EXPECT_EQ(reason_against(type, 89), "");
    }
}

// Code for 8.0 runs on an 8.9, and its fp8 kernels would store zeros.
TEST(families, fp8_needs_code_that_has_it) {
    EXPECT_EQ(reason_against_code(dtype::e4m3, 80),
              "fp8 needs code for compute capability 8.9 or later, and this build holds code for "
              "8.0: build with CARAT_GPUS=native, or convert A and B to f16 or bf16");
    EXPECT_EQ(reason_against_code(dtype::e5m2, 89), "");
    EXPECT_EQ(reason_against_code(dtype::f16, 80), "");
}

std::string names_on(int compute_capability) {
    cuda::device_facts gpu;
    gpu.compute_capability = compute_capability;
    std::string names;
    for (const cuda::family* const one : gpu_engine::families_on(gpu))
        names += std::string(names.empty() ? "" : " ") + std::string(one->name);
    return names;
}

TEST(families, have_a_row_each_and_run_where_their_instructions_do) {
    EXPECT_EQ(names_on(90), "scale gemv wgmma fma mma");
    for (const int capability : {80, 86, 89, 100, 120})
        EXPECT_EQ(names_on(capability), "scale gemv mma") << capability;
}

// The first of a GPU's families that is for the call.
TEST(families, one_answers_for_what_is_asked_of_a_call) {
    const auto first = [](const core::gpu_call& call) {
        cuda::device_facts hopper;
        hopper.compute_capability = 90;
        for (const cuda::family* const one : gpu_engine::families_on(hopper))
            if (one->is_for != nullptr && one->is_for(call)) return one->name;
        return std::string_view();
    };
    using enum core::gpu_arithmetic;
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::bf16, 64, 64, 64)}), "wgmma");
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::f64, 64, 64, 64)}), "fma");
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::f32, 64, 64, 64)}), "fma");
    EXPECT_EQ(
        first({.problem = core::row_major_problem(dtype::f32, 64, 64, 64), .arithmetic = tf32}),
        "wgmma");
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::bf16, 64, 64, 0)}), "scale");
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
