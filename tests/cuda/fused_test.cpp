// Products with fused epilogues: exact on whole numbers where possible, in narrow and wide tiles,
// with and without split-K, C row- and column-major.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include <carat/error.hpp>

#include "cuda/engine/select.hpp"
#include "tests/cuda/epilogue_fixture.hpp"

namespace {

using namespace carat;
using cuda::activation;
using test::fused_case;
using test::on_gpu;
using test::reference;

class fused : public test::epilogue_fixture {};

std::vector<fused_case> cases(dtype c_type) {
    struct shape {
        std::int64_t m, n, k;
    };
    std::vector<fused_case> all;
    int count = 0;
    for (const shape& s : {shape{64, 128, 80}, {130, 300, 72}, {33, 31, 520}, {3, 520, 264}})
        for (const int tile : {16, 64, 128, 160, 192, 224, 256})
            for (const int parts : {1, 4})
                for (const bool by_columns : {false, true}) {
                    fused_case a;
                    a.p = core::row_major_problem(dtype::bf16, s.m, s.n, s.k);
                    a.p.c_type = c_type;
                    if (by_columns) a.p.c_layout = core::column_major(s.m + count % 2 * 3);
                    a.p.alpha = 0.5;
                    a.p.beta = count % 3 == 0 ? 0 : -2;
                    a.s.tunables = {{"block_n", tile}, {"split_k", parts}};
                    a.scales = count % 2 == 0;
                    a.biases = count % 5 != 0;
                    a.per_row = count % 7 < 3;
                    a.adds = count % 4 < 2;
                    if (tile == 128 && parts == 1) {
                        all.push_back(a);
                        all.back().s.tunables = {{"schedule", 3}};
                    }
                    all.push_back(a);
                    ++count;
                }
    return all;
}

TEST_F(fused, bias_scale_residual_and_relu_are_exact_on_whole_numbers) {
    for (const activation then : {activation::none, activation::relu})
        for (fused_case a : cases(dtype::f32)) {
            a.then = then;
            ASSERT_EQ(check(a, 0), "") << describe(a.p) << " tile " << a.s.tunables["block_n"]
                                       << " parts " << a.s.tunables["split_k"];
        }
}

TEST_F(fused, gelu_and_silu_are_what_they_are_defined_to_be) {
    for (const activation then : {activation::gelu, activation::silu})
        for (const dtype type : {dtype::f32, dtype::bf16})
            for (fused_case a : cases(type)) {
                a.then = then;
                ASSERT_EQ(check(a, type == dtype::f32 ? 2e-6 : 0x1p-8), "")
                    << describe(a.p) << " tile " << a.s.tunables["block_n"] << " parts "
                    << a.s.tunables["split_k"];
            }
}

// Promoted sums in tiles below each other and side by side.
TEST_F(fused, promoted_sums_are_finished_like_others) {
    for (const activation then : {activation::none, activation::relu, activation::gelu})
        for (const dtype type : {dtype::f32, dtype::bf16})
            for (fused_case a : cases(type)) {
                const bool narrow =
                    a.s.tunables["block_n"] < 192 || a.s.tunables.contains("schedule");
                if (narrow || a.s.tunables["split_k"] > 1) continue;
                a.p.a_type = a.p.b_type = dtype::e4m3;
                a.then = then;
                const bool exact = type == dtype::f32 && then != activation::gelu;
                for (const int rows : {128, 192}) {
                    a.s.tunables = {{"block_n", rows == 192 ? 128 : 256}, {"block_m", rows}};
                    ASSERT_EQ(check(a, exact                ? 0
                                       : type == dtype::f32 ? 2e-6
                                                            : 0x1p-8),
                              "")
                        << describe(a.p) << " rows " << rows;
                }
            }
}

struct sums_of {
    dtype from;
    dtype to;
    core::gpu_arithmetic by = core::gpu_arithmetic::native;
};

// Such a product with a C that beta multiplies, or another matrix; tile -1 is pingpong.
fused_case with_beta(const sums_of& of, const std::array<std::int64_t, 3>& size, bool by_columns,
                     int tile, int parts, int count) {
    const auto [m, n, k] = size;
    fused_case a;
    a.p = core::row_major_problem(of.from, m, n, k);
    if (of.from != dtype::bf16 && (of.from != dtype::f32 || count % 3 == 0))
        a.p.b_layout = core::column_major(k);
    a.p.c_type = of.to;
    if (by_columns) a.p.c_layout = core::column_major(m + (16 - m % 16) % 16);
    a.p.alpha = count % 5 == 0 ? 2 : 1;
    a.p.beta = -3;
    a.by = of.by;
    a.adds = is_floating(of.to) && of.from != dtype::f32 && count % 2 == 0;
    a.s.tunables = {{"block_n", tile}, {"split_k", parts}};
    if (tile < 0) a.s.tunables = {{"schedule", 3}};
    return a;
}

// TMA adds it if lines of C are multiples of 16 bytes, in every tile, part of K and layout; with
// the last size a CTA has several tiles in turn.
TEST_F(fused, what_beta_multiplies_is_added_to_every_tile) {
    using enum core::gpu_arithmetic;
    int count = 0;
    for (const sums_of& of : {sums_of{dtype::bf16, dtype::bf16},
                              {dtype::bf16, dtype::f32},
                              {dtype::e4m3, dtype::bf16},
                              {dtype::e4m3, dtype::f32},
                              {dtype::i8, dtype::i32},
                              {dtype::f32, dtype::f32, tf32}})
        for (const auto& size : {std::array<std::int64_t, 3>{64, 128, 80},
                                 {200, 304, 528},
                                 {33, 48, 1040},
                                 {3, 520, 272},
                                 {520, 264, 1520},
                                 {1296, 4104, 144}})
            for (const int tile : {16, 32, 64, 96, 128, 160, 192, 224, 256, -1})
                for (const int parts : {1, 2, 4, 8})
                    for (const bool by_columns : {false, true}) {
                        const bool is_large = size[0] > 1000;
                        const bool stays = tile < 0 || tile > 160;
                        if ((is_large && !stays) || (stays && parts > 1)) continue;
                        const fused_case a = with_beta(of, size, by_columns, tile, parts, ++count);
                        if (!reason_against(rows::cuda::row_of(of.by), a.p, a.s).empty()) continue;
                        ASSERT_EQ(check(a, of.to == dtype::bf16 ? 0x1p-8 : 0), "")
                            << describe(a.p) << " into " << name(of.to) << " tile " << tile
                            << " parts " << parts << (by_columns ? " by columns" : "")
                            << (a.adds ? " beside C" : "");
                    }
}

// Column `odd` of C is not a number, or far below 0.
TEST_F(fused, numbers_side_by_side_keep_to_themselves) {
    constexpr std::int64_t odd = 5;
    const core::problem p = [] {
        core::problem made = core::row_major_problem(dtype::bf16, 130, 300, 72);
        made.c_type = dtype::f32;
        return made;
    }();
    test::operand_set data(p, 0);
    data.a.fill('a');
    data.b.fill('b');
    const test::device_copy a(data.a), b(data.b), c(data.c);
    const auto with = [](const char* name, std::int64_t value) {
        core::settings s;
        s.tunables[name] = value;
        return s;
    };
    const test::sums& product = test::whole_sums(130, 300, 72);
    for (const core::settings& s :
         {with("block_n", 16), with("block_n", 128), with("schedule", 3), with("block_n", 256)})
        for (const activation then : {activation::relu, activation::gelu, activation::silu})
            for (const float strange : {std::numeric_limits<float>::quiet_NaN(), -1e30F}) {
                std::vector<float> shifts(static_cast<std::size_t>(p.n), 0.0F);
                shifts[odd] = strange;
                const space::buffer bias = on_gpu(shifts.data(), shifts.size() * sizeof(float));
                cuda::epilogue_fusion last;
                last.activation_function = then;
                last.bias = {static_cast<const float*>(bias.data()), false};
                rows::cuda::prepare_fused(p, last, s)->run({a.get(), b.get(), c.get()});
                c.download(data.c);
                ASSERT_EQ(test::wrong_among(
                              p.m, p.n, [&](auto i, auto j) { return data.c.get(i, j); },
                              [&](auto i, auto j) {
                                  if (j != odd) return reference(then, product(i, j));
                                  return std::isnan(strange) ? static_cast<double>(strange) : 0;
                              },
                              2e-6),
                          "");
            }
}

TEST_F(fused, what_is_not_a_number_survives_every_activation) {
    core::problem p = core::row_major_problem(dtype::bf16, 2, 16, 8);
    p.c_type = dtype::f32;
    for (const activation then : {activation::relu, activation::gelu, activation::silu}) {
        test::operand_set data(p, 0);
        data.a.fill('a');
        data.b.fill('b');
        data.a.set(1, 3, std::numeric_limits<double>::quiet_NaN());
        const test::device_copy a(data.a), b(data.b), c(data.c);
        cuda::epilogue_fusion last;
        last.activation_function = then;
        rows::cuda::prepare_fused(p, last, {})->run({a.get(), b.get(), c.get()});
        c.download(data.c);
        for (std::int64_t j = 0; j < p.n; ++j) {
            EXPECT_FALSE(std::isnan(data.c.get(0, j))) << j;
            EXPECT_TRUE(std::isnan(data.c.get(1, j))) << j;
        }
    }
}

TEST_F(fused, refuses_what_it_can_not_do) {
    core::problem p = core::row_major_problem(dtype::bf16, 4, 4, 4);
    p.alpha = 0;
    cuda::epilogue_fusion relu;
    relu.activation_function = activation::relu;
    EXPECT_THROW((void)rows::cuda::prepare_fused(p, relu, {}), error);
    p = core::row_major_problem(dtype::i32, 4, 4, 4);
    p.a_type = p.b_type = dtype::i8;
    EXPECT_THROW((void)rows::cuda::prepare_fused(p, relu, {}), error);
}

}  // namespace
