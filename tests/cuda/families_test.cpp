// Which GPUs kernels of mma multiply on, and what CARAT_FORCE_FAMILY may say; needs no GPU.
#include "cuda/engine/families.hpp"

#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "cuda/common/code.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/mma/choose.hpp"
#include "cuda/families/mma/product.hpp"

namespace {

using namespace carat;
using cuda::mma::reason_against;
using gpu_engine::forces_mma;

using enum core::gpu_arithmetic;

std::string reason_on(int compute_capability, dtype element, core::gpu_arithmetic how = native) {
    return reason_against(element, how, compute_capability, compute_capability);
}

TEST(families, mma_begins_at_7_5) {
    EXPECT_EQ(reason_on(70, dtype::f16),
              "its kernels begin at compute capability 7.5 and this GPU has 7.0: take another "
              "implementation");
    for (const int capability : {75, 80, 86, 89, 90, 100, 120})
        for (const dtype type : {dtype::f64, dtype::f32, dtype::f16, dtype::i8})
            EXPECT_EQ(reason_on(capability, type), "") << capability;
}

TEST(families, say_which_gpus_have_the_other_types) {
    EXPECT_EQ(reason_on(75, dtype::bf16),
              "bf16 begins at compute capability 8.0 and this GPU has 7.5: convert A and B to f16");
    EXPECT_EQ(reason_on(75, dtype::f32, tf32),
              "tf32 begins at compute capability 8.0 and this GPU has 7.5: compute in f32");
    EXPECT_EQ(reason_on(75, dtype::f32, three_tf32),
              "3xTF32 begins at compute capability 8.0 and this GPU has 7.5: compute in f32");
    EXPECT_EQ(reason_on(80, dtype::bf16) + reason_on(80, dtype::f32, tf32) +
                  reason_on(80, dtype::f32, three_tf32),
              "");
    for (const dtype type : {dtype::e4m3, dtype::e5m2}) {
        EXPECT_EQ(
            reason_on(86, type, fast_fp8),
            "fp8 begins at compute capability 8.9 and this GPU has 8.6: convert A and B to f16");
        EXPECT_EQ(reason_on(89, type, fast_fp8), "");
    }
}

// Code for 8.0 runs on an 8.9, and its fp8 kernels would store nothing.
TEST(families, types_need_code_that_has_them) {
    EXPECT_EQ(reason_against(dtype::e4m3, native, 89, 80),
              "fp8 needs code for compute capability 8.9 or later, and this build holds code for "
              "8.0: build with CARAT_GPUS=native, or convert A and B to f16");
    EXPECT_EQ(reason_against(dtype::bf16, native, 90, 75),
              "bf16 needs code for compute capability 8.0 or later, and this build holds code for "
              "7.5: build with CARAT_GPUS=native, or convert A and B to f16");
    EXPECT_EQ(reason_against(dtype::e5m2, native, 90, 89), "");
    EXPECT_EQ(reason_against(dtype::f16, native, 90, 75), "");
}

// Code for an older GPU has its families and its tiles only.
TEST(families, see_a_gpu_as_its_code_does) {
    cuda::device_facts hopper;
    hopper.compute_capability = 90;
    hopper.shared_bytes_per_block = std::size_t{227} * 1024;
    hopper.shared_bytes_per_multiprocessor = std::size_t{228} * 1024;
    const cuda::device_facts turing = cuda::as_code_knows(hopper, 75);
    EXPECT_EQ(turing.compute_capability, 75);
    EXPECT_EQ(turing.shared_bytes_per_block, std::size_t{64} * 1024);
    EXPECT_EQ(turing.shared_bytes_per_multiprocessor, std::size_t{64} * 1024);
    const cuda::device_facts ampere = cuda::as_code_knows(hopper, 80);
    EXPECT_EQ(ampere.compute_capability, 80);
    EXPECT_EQ(ampere.shared_bytes_per_block, hopper.shared_bytes_per_block);
    EXPECT_EQ(cuda::as_code_knows(hopper, 90).compute_capability, 90);
}

TEST(families, leave_out_tiles_that_shared_memory_has_no_room_for) {
    const auto count = [](dtype type, std::size_t kib) {
        return cuda::mma::tiles_with_room({.problem = core::row_major_problem(type, 64, 64, 64)},
                                          kib * 1024);
    };
    EXPECT_EQ(count(dtype::f16, 64), 4U);  // all but 128 x 128
    EXPECT_EQ(count(dtype::f32, 64), 5U);
    EXPECT_EQ(count(dtype::f64, 64), 2U);  // 32 x 32 and 64 x 64
    for (const dtype type : {dtype::f16, dtype::f32, dtype::f64}) EXPECT_EQ(count(type, 99), 5U);
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
    for (const int capability : {75, 80, 86, 89, 100, 120})
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
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::bf16, 64, 64, 64)}), "wgmma");
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::f64, 64, 64, 64)}), "fma");
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::f32, 64, 64, 64)}), "fma");
    EXPECT_EQ(
        first({.problem = core::row_major_problem(dtype::f32, 64, 64, 64), .arithmetic = tf32}),
        "wgmma");
    EXPECT_EQ(first({.problem = core::row_major_problem(dtype::bf16, 64, 64, 0)}), "scale");
}

// f32 whose lines begin between 16 bytes need not be packed, as ADR 0153 says.
TEST(families, fma_knows_how_operands_lie) {
    using enum plan::lying;
    const auto a_lies = [](dtype type, const core::layout& a, bool is_aligned) {
        core::gpu_call call{.problem = core::row_major_problem(type, 300, 304, 308)};
        call.problem.a_layout = a;
        call.aligned.a = is_aligned;
        return cuda::fma::request_for(call, {}, 132).a.lies;
    };
    EXPECT_EQ(a_lies(dtype::f32, core::column_major(300), true), across_k);
    EXPECT_EQ(a_lies(dtype::f32, core::column_major(301), true), between_16_bytes);
    EXPECT_EQ(a_lies(dtype::f32, core::column_major(300), false), between_16_bytes);
    EXPECT_EQ(a_lies(dtype::f32, core::row_major(308), true), along_k);
    EXPECT_EQ(a_lies(dtype::f32, core::row_major(309), true), between_16_bytes);
    EXPECT_EQ(a_lies(dtype::f32, {700, 2}, true), scattered);
    EXPECT_EQ(a_lies(dtype::f64, core::row_major(310), true), along_k);
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
