// GLU epilogues in every kernel that has them, with staging tiles of C that end within a tile, K
// that ends within a stage, and every step and E that a gate allows.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "tests/cuda/epilogue_fixture.hpp"

namespace {

using namespace carat;
using cuda::activation;
using test::fused_case;

class gated : public test::epilogue_fixture {};

double tolerance_of(const fused_case& a) {
    if (a.p.c_type == dtype::f32) return a.then == activation::relu ? 0 : 4e-6;
    return a.p.c_type == dtype::f16 ? 0x1p-10 : 0x1p-7;
}

struct way {
    const char* tunable;
    int value;
    int even;
};

// Stream-K tiles are more than the clusters of two CTAs that an H200 holds.
std::vector<std::array<std::int64_t, 3>> shapes_of(const way& w) {
    if (w.even == 2) return {{520, w.value == 3 ? 1480 : 2952, 136}, {258, 8456, 72}};
    return {{130, 72, 80},   {300, 520, 264}, {64, 128, 1100}, {3, 1000, 8},
            {513, 1288, 40}, {1, 304, 64},    {8, 8, 8}};
}

void check_all(const core::signature& types, const std::vector<way>& ways) {
    int count = 0;
    for (const way& w : ways)
        for (const auto& [m, n, k] : shapes_of(w))
            for (int majors = 0; majors < (size_bytes(types.a) == 2 ? 4 : 1); ++majors) {
                fused_case a;
                a.gates = true;
                a.p = core::row_major_problem(types.c, m, n, k);
                a.p.a_type = types.a;
                a.p.b_type = types.b;
                a.p.a_layout = majors / 2 == 1 ? core::column_major((m + 23) / 16 * 16)
                                               : core::row_major((k + 31) / 16 * 16);
                a.p.b_layout = majors % 2 == 1 ? core::row_major(2 * n + 16)
                                               : core::column_major((k + 31) / 16 * 16);
                if (count % 2 == 0) a.p.c_layout = core::row_major(n + 8);
                a.p.alpha = 0.5;
                a.p.beta = count % 3 == 0 ? 0 : -2;
                a.s.tunables = {{w.tunable, w.value}, {"stream_k", w.even}};
                a.scales = count % 4 == 1;
                a.biases = count % 5 != 0;
                a.per_row = count % 7 < 2;
                a.adds = count % 4 < 2;
                a.offset = count % 6 == 2 ? 1 : 0;
                for (const activation then :
                     {activation::relu, count % 2 == 0 ? activation::silu : activation::gelu}) {
                    a.then = then;
                    ASSERT_EQ(check(a, tolerance_of(a)), "")
                        << describe(a.p) << " number " << count << " " << w.tunable << " even "
                        << w.even;
                }
                ++count;
            }
}

const std::vector<way> of_16_bits = {{"schedule", 3, 1}, {"schedule", 3, 2}, {"block_n", 256, 1}};
const std::vector<way> of_8_bits = {{"block_n", 256, 1}, {"block_n", 256, 2}};

TEST_F(gated, bf16_is_exact_with_relu_and_close_with_the_others) {
    check_all({dtype::bf16, dtype::bf16, dtype::f32, ""}, of_16_bits);
    check_all({dtype::bf16, dtype::bf16, dtype::bf16, ""}, of_16_bits);
}

TEST_F(gated, f16_is_too) {
    check_all({dtype::f16, dtype::f16, dtype::f32, ""}, of_16_bits);
    check_all({dtype::f16, dtype::f16, dtype::f16, ""}, of_16_bits);
}

TEST_F(gated, fp8_is_too) {
    check_all({dtype::e4m3, dtype::e4m3, dtype::f32, ""}, of_8_bits);
    check_all({dtype::e4m3, dtype::e4m3, dtype::bf16, ""}, of_8_bits);
    check_all({dtype::e5m2, dtype::e4m3, dtype::bf16, ""}, of_8_bits);
}

// A row of A, a gate's column of B and a value's column: NaN stays NaN in its own row and columns.
TEST_F(gated, what_is_not_a_number_stays_so) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::int64_t row = 77;
    constexpr std::int64_t of_gate = 5;
    constexpr std::int64_t of_value = 70;
    for (const way& w : of_16_bits)
        for (const activation then : {activation::relu, activation::gelu, activation::silu}) {
            if (w.even == 2) continue;
            core::problem p = core::row_major_problem(dtype::bf16, 130, 136, 72);
            p.c_type = dtype::f32;
            fused_case gated_case;
            gated_case.p = p;
            gated_case.gates = true;
            test::operand_set data(gated_case.whole(), 0);
            test::guarded c(p.c_type, p.m, p.n, p.c_layout, 0);
            data.a.fill('a');
            data.b.fill('b');
            data.a.set(row, 3, nan);
            data.b.set(2, of_gate, nan);
            data.b.set(2, p.n + of_value, nan);
            const test::device_copy on_a(data.a), on_b(data.b), on_c(c);
            cuda::epilogue_fusion last;
            last.activation_function = then;
            last.is_glu = true;
            core::settings s;
            s.tunables = {{w.tunable, w.value}};
            const auto made = rows::cuda::prepare_fused(p, last, s);
            ASSERT_NE(made, nullptr);
            made->run({on_a.get(), on_b.get(), on_c.get()});
            on_c.download(c);
            for (std::int64_t i = 0; i < p.m; ++i)
                for (std::int64_t j = 0; j < p.n; ++j)
                    ASSERT_EQ(std::isnan(c.get(i, j)), i == row || j == of_gate || j == of_value)
                        << i << ", " << j;
        }
}

// Columns of A B that are no multiple of eight.
TEST_F(gated, values_that_begin_within_16_bytes_are_read_along_k) {
    fused_case a;
    a.gates = true;
    a.then = activation::relu;
    a.p = core::row_major_problem(dtype::f32, 300, 300, 72);
    a.p.a_type = a.p.b_type = dtype::bf16;
    for (const way& w : of_16_bits) {
        if (w.even == 2) continue;
        a.s.tunables = {{w.tunable, w.value}, {"stream_k", 1}};
        a.p.b_layout = core::column_major(80);
        EXPECT_EQ(check(a, 0), "") << w.tunable;
        a.p.b_layout = core::row_major(608);
        EXPECT_EQ(check(a, 0), "there is no kernel") << w.tunable;
    }
}

TEST_F(gated, is_left_to_a_pass_where_no_kernel_takes_it) {
    cuda::epilogue_fusion last;
    last.activation_function = activation::silu;
    last.is_glu = true;
    const core::problem p = core::row_major_problem(dtype::bf16, 4096, 4096, 512);
    EXPECT_NE(rows::cuda::prepare_fused(p, last, {}), nullptr);
    // One step of K can't be split; where K is deep, split-K and a pass are faster.
    core::problem few_rows = core::row_major_problem(dtype::bf16, 16, 4096, 64);
    EXPECT_NE(rows::cuda::prepare_fused(few_rows, last, {}), nullptr);
    few_rows = core::row_major_problem(dtype::bf16, 16, 4096, 4096);
    EXPECT_EQ(rows::cuda::prepare_fused(few_rows, last, {}), nullptr);
    core::problem by_columns = p;
    by_columns.c_layout = core::column_major(p.m);
    EXPECT_EQ(rows::cuda::prepare_fused(by_columns, last, {}), nullptr);
    core::problem nothing = p;
    nothing.alpha = 0;
    EXPECT_EQ(rows::cuda::prepare_fused(nothing, last, {}), nullptr);
    EXPECT_EQ(
        rows::cuda::prepare_fused(core::row_major_problem(dtype::f32, 4096, 4096, 512), last, {}),
        nullptr);
    EXPECT_EQ(rows::cuda::prepare_fused(
                  core::row_major_problem(dtype::bf16, 8, std::int64_t{1} << 30, 8), last, {}),
              nullptr)
        << "columns of B are too many";

    alignas(16) static std::byte memory[32];
    EXPECT_TRUE(gpu_engine::stores_glu(p, {memory, memory, memory}));
    EXPECT_FALSE(gpu_engine::stores_glu(p, {memory, memory, memory + 2}));
    EXPECT_FALSE(gpu_engine::stores_glu(p, {memory, memory, memory, memory + 2}));
    EXPECT_FALSE(gpu_engine::stores_glu(by_columns, {memory, memory, memory}));
    core::problem ragged = p;
    ragged.n = 4092;
    EXPECT_FALSE(gpu_engine::stores_glu(ragged, {memory, memory, memory}));
}

}  // namespace
