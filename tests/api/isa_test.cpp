// CARAT_FORCE_ISA: the plan's text shows that the override took, and so does rounding, since only
// the baseline of x86-64 lacks fused multiply-add. ctest runs it once for each level.
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <tuple>

#include "cpu/engine.hpp"
#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

std::string forced() {
    const char* value = std::getenv("CARAT_FORCE_ISA");
    return value == nullptr ? "" : value;
}

TEST(isa, the_kernels_are_those_of_the_level) {
    const std::string level(name(core::isa_in_use()));
    EXPECT_TRUE(forced().empty() || level == forced()) << level;
    const cpu_engine::product made(core::row_major_problem(dtype::f64, 500, 500, 500), 1,
                                   cpu_engine::kernels_for(core::isa_in_use()));
#if defined(__aarch64__)
    const std::string lowest = "neon";
#else
    const std::string lowest = "baseline";
#endif
    const core::isa of = core::vectors_of(core::isa_in_use());
    const std::string vectors = of == core::isa::baseline ? lowest : std::string(name(of));
    EXPECT_NE(made.explain().find("gemm_f64_" + vectors + "_"), std::string::npos)
        << made.explain();
}

// Whether the level is one of Arm, and not its baseline.
bool is_of_arm(core::isa level) {
    return level >= core::isa::dotprod;
}

// A level's kernels exist if the machine has its instructions, and no others are used.
TEST(isa, tiles_multiply_narrow_types_where_the_level_has_them) {
    const core::isa level = core::isa_in_use();
    const cpu_engine::kernel_set& with = cpu_engine::kernels_for(level);
    const bool of_bytes = level == core::isa::amx ||
                          (level == core::isa::avx512 && core::has_byte_dot_products()) ||
                          (level == core::isa::avx2 && core::has_short_byte_dot_products()) ||
                          (is_of_arm(level) && core::has(core::isa::dotprod));
    const bool of_matrices =
        is_of_arm(level) && level != core::isa::dotprod && core::has(core::isa::i8mm);
    const bool of_bf16 = level == core::isa::amx ||
                         (level == core::isa::avx512 && of_bytes && !core::has_amx() &&
                          core::has_bf16_dot_products()) ||
                         (of_matrices && core::has_bf16_matrix_products());
    if (!of_bytes) std::puts("NOT TESTED: tiles of bytes: this level has none here");
    if (!of_bf16) std::puts("NOT TESTED: tiles of bf16: this level has none here");
    const std::string unit = level == core::isa::amx ? "_amx_" : of_matrices ? "_mmla_" : "_dot_";
    for (const auto& [type, sums, expected] : {std::tuple{dtype::bf16, dtype::f32, of_bf16},
                                               std::tuple{dtype::bf16, dtype::bf16, of_bf16},
                                               std::tuple{dtype::i8, dtype::i32, of_bytes}}) {
        core::problem p = core::row_major_problem(type, 100, 100, 100);
        p.c_type = sums;
        const std::string plan = cpu_engine::product(p, 1, with).explain();
        const std::string tiles = "gemm_" + std::string(name(type)) + unit;
        EXPECT_EQ(plan.find(tiles) != std::string::npos, expected) << plan;
    }
}

TEST(isa, the_rounding_of_the_public_call_is_that_of_the_level) {
    // -1 + (1 + 2^-30)(1 - 2^-30): fused, -2^-60; rounded before the sum, 0.
    const double a[] = {-1, 1 + 0x1p-30};
    const double b[] = {1, 1 - 0x1p-30};
    double c = 7;
    matrix_product(matrix_view(a, 1, 2), matrix_view(b, 2, 1), matrix_view(&c, 1, 1));
#if defined(__x86_64__)
    EXPECT_EQ(c, core::isa_in_use() == core::isa::baseline ? 0 : -0x1p-60);
#else
    EXPECT_EQ(c, -0x1p-60);
#endif
}

// Exits with 0 if a product is refused this way, with C untouched.
[[noreturn]] void multiply_forced_to(const std::string& level, error_code expected) {
    setenv("CARAT_FORCE_ISA", level.c_str(), 1);
    const double a = 2;
    double c = 7;
    try {
        matrix_product(matrix_view(&a, 1, 1), matrix_view(&a, 1, 1), matrix_view(&c, 1, 1));
    } catch (const error& e) {
        std::fputs(e.what(), stderr);
        std::exit(e.code() == expected && c == 7 ? 0 : 1);
    }
    std::exit(2);
}

// The child is this program, started again, since the override is read once.
TEST(isa, nonsense_is_refused_with_c_untouched) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(multiply_forced_to("sse9", error_code::invalid_argument),
                testing::ExitedWithCode(0), "CARAT_FORCE_ISA=sse9: unknown");
}

TEST(isa, a_level_that_is_not_there_is_refused_with_c_untouched) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const std::string best(name(core::best_isa()));
    for (const core::isa level : core::all_isas) {
        if (core::has(level)) continue;
        const std::string asked(name(level));
        EXPECT_EXIT(multiply_forced_to(asked, error_code::unsupported), testing::ExitedWithCode(0),
                    "CARAT_FORCE_ISA=" + asked + ": this machine has only " + best +
                        "; use that or less, or unset it");
    }
}

TEST(isa, nonsense_is_refused_when_preparing) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto call = [] {
        setenv("CARAT_FORCE_ISA", "sse9", 1);
        const double a = 2;
        try {
            (void)prepare(matrix_view(&a, 1, 1));
        } catch (const error& e) {
            std::fputs(e.what(), stderr);
            std::exit(e.code() == error_code::invalid_argument ? 0 : 1);
        }
        std::exit(2);
    };
    EXPECT_EXIT(call(), testing::ExitedWithCode(0), "CARAT_FORCE_ISA=sse9: unknown");
}

}  // namespace
