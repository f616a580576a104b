// Every kernel of src/cuda/families/mma, in every layout, alignment, type of C and E, including
// edges and the bytes around C. Sums of whole numbers are exact. Skipped without a GPU.
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/dtype_traits.hpp"
#include "cuda/common/device.hpp"
#include "cuda/engine/select.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/lean_product.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "cuda/families/mma/product.hpp"
#include "tests/cuda/many.hpp"

namespace {

using namespace carat;
using arithmetic = core::gpu_arithmetic;
using test::many;

struct one_case {
    std::size_t row;  // of the table
    std::int64_t m, n, k;
    int layouts;           // bits: A, B, C by columns
    std::int64_t padding;  // of a line
    std::size_t offset;    // of A and B from what is aligned
    bool adds;             // -1 times E
    arithmetic how = arithmetic::native;

    [[nodiscard]] core::layout layout(int bit, std::int64_t rows, std::int64_t cols) const {
        return (layouts & bit) == 0 ? core::row_major(cols + padding)
                                    : core::column_major(rows + padding);
    }
};

std::string text(const one_case& c) {
    return "row " + std::to_string(c.row) + ", " + std::to_string(c.m) + "x" + std::to_string(c.n) +
           "x" + std::to_string(c.k) + ", layouts " + std::to_string(c.layouts) + ", padding " +
           std::to_string(c.padding) + ", offset " + std::to_string(c.offset) +
           (c.adds ? ", E" : "");
}

constexpr std::int64_t count = 3;

// `run` starts the batch, and returns whether it could.
template <class In, class Out, class InB = In>
void expect_exact(const one_case& c, const auto& run) {
    const std::int64_t unit = c.padding == 0 ? 8 : c.padding;
    many<In> a(count, c.layout(1, c.m, c.k), c.m, c.k, unit, c.offset);
    many<InB> b(count, c.layout(2, c.k, c.n), c.k, c.n, unit, c.offset);
    many<Out> to(count, c.layout(4, c.m, c.n), c.m, c.n, unit, 0);
    many<Out> e(count, to.at, c.m, c.n, unit, 0);
    a.fill(1, c.m, c.k), b.fill(2, c.k, c.n), e.fill(3, c.m, c.n);
    a.upload(), b.upload(), to.upload(), e.upload();
    core::problem p = core::row_major_problem(dtype_of_v<In>, c.m, c.n, c.k);
    p.b_type = dtype_of_v<InB>;
    p.c_type = dtype_of_v<Out>;
    p.a_layout = a.at, p.b_layout = b.at, p.c_layout = to.at;
    p.alpha = 2;
    p.beta = c.adds ? -1 : 0;
    core::gpu_call call{.problem = p,
                        .arithmetic = c.how,
                        .aligned = {cuda::is_aligned(a.data(), a.apart, p.a_type),
                                    cuda::is_aligned(b.data(), b.apart, p.b_type)},
                        .products = {core::multiplicity::strided, count}};
    cuda::bindings with;
    with.data = {a.data(), b.data(), to.data()};
    with.apart = {a.apart, b.apart, to.apart};
    if (c.adds) with.fusion.residual = e.data();
    call.epilogue = cuda::epilogue_of(with.fusion);
    ASSERT_TRUE(run(call, with)) << text(c);
    for (std::int64_t x = 0; x < count; ++x) {
        const test::sums product(a.source(x, c.m, c.k), b.source(x, c.k, c.n));
        const verify::source added = e.source(x, c.m, c.n);
        for (std::int64_t i = 0; i < c.m; ++i)
            for (std::int64_t j = 0; j < c.n; ++j)
                to.here[to.place(x, i, j)] =
                    Out(static_cast<float>(2 * product(i, j) - (c.adds ? added.at(i, j) : 0)));
    }
    const std::vector<Out> got = to.downloaded();
    EXPECT_EQ(std::memcmp(got.data(), to.here.data(), got.size() * sizeof(Out)), 0) << text(c);
}

template <class In, class Out>
void expect_exact(const one_case& c) {
    expect_exact<In, Out>(c, [&](const auto& call, const auto& with) {
        return cuda::mma::takes(call) && cuda::mma::prepare(call, c.row)->run(with);
    });
}

class batch_tiles : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
    }
};

// A single row, column or k, at any stride, in all layouts.
template <class In, class Out>
void expect_all_exact(std::size_t rows, arithmetic how = arithmetic::native) {
    for (std::size_t row = 0; row < rows; ++row) {
        for (const int layouts : {0, 1, 2, 3, 4, 5, 6, 7})
            for (const std::int64_t padding : {0, 1, 2, 4, 8})
                for (const bool adds : {false, true}) {
                    expect_exact<In, Out>({row, 72, 136, 40, layouts, padding, 0, adds, how});
                    expect_exact<In, Out>({row, 133, 37, 131, layouts, padding,
                                           static_cast<std::size_t>(padding), adds, how});
                }
        for (const int layouts : {0, 7}) {
            expect_exact<In, Out>({row, 1, 70, 50, layouts, 3, 0, false, how});
            expect_exact<In, Out>({row, 70, 1, 50, layouts, 3, 1, true, how});
            expect_exact<In, Out>({row, 70, 50, 1, layouts, 3, 0, true, how});
        }
    }
}

// CTAs share K: parts of several steps, of one, and of none. The second run overwrites the sums of
// the first.
template <class In, class Out>
void expect_parts_exact(std::size_t rows, arithmetic how = arithmetic::native) {
    for (std::size_t row = 0; row < rows; ++row)
        for (const int splits : {2, 3, 8})
            for (const int layouts : {0, 3, 4})
                for (const bool adds : {false, true})
                    expect_exact<In, Out>({row, 133, 70, 131, layouts, 1, 0, adds, how},
                                          [&](const auto& call, const auto& with) {
                                              const auto made =
                                                  cuda::mma::prepare(call, row, splits);
                                              return made->run(with) && made->run(with);
                                          });
}

TEST_F(batch_tiles, parts_of_k_are_exact) {
    expect_parts_exact<bf16, bf16>(cuda::mma::half_kernels.size());
    expect_parts_exact<bf16, float>(cuda::mma::half_kernels.size());
    expect_parts_exact<double, double>(cuda::mma::f64_kernels.size());
    expect_parts_exact<float, float>(cuda::mma::f32_kernels.size());
    expect_parts_exact<float, float>(cuda::mma::tf32_kernels.size(), arithmetic::tf32);
}

TEST_F(batch_tiles, bf16) {
    expect_all_exact<bf16, bf16>(cuda::mma::half_kernels.size());
}
TEST_F(batch_tiles, bf16_with_an_f32_c) {
    expect_all_exact<bf16, float>(cuda::mma::half_kernels.size());
}
TEST_F(batch_tiles, f16_with_an_f32_c) {
    expect_all_exact<f16, float>(cuda::mma::half_kernels.size());
}
TEST_F(batch_tiles, f64) {
    expect_all_exact<double, double>(cuda::mma::f64_kernels.size());
}
TEST_F(batch_tiles, f32) {
    expect_all_exact<float, float>(cuda::mma::f32_kernels.size());
}
TEST_F(batch_tiles, tf32) {
    expect_all_exact<float, float>(cuda::mma::tf32_kernels.size(), arithmetic::tf32);
}

// The layouts that lean tiles take, one of them as B^T A^T, with K in part of a stage, in one, and
// in more than are under way at once. Where B lies along K, rows of C may begin and end anywhere.
template <class T>
void expect_lean_exact() {
    struct lean_case {
        int layouts;
        std::int64_t m, n, k;
    };
    constexpr lean_case cases[] = {{0, 133, 72, 40}, {0, 1, 8, 8},     {0, 70, 200, 264},
                                   {0, 64, 128, 32}, {1, 136, 72, 13}, {1, 8, 264, 131},
                                   {2, 133, 37, 40}, {2, 1, 1, 8},     {2, 70, 129, 200},
                                   {7, 72, 133, 40}, {7, 264, 5, 136}};
    for (std::size_t row = 0; row < cuda::mma::lean_kernels.size(); ++row)
        for (const lean_case& c : cases)
            for (const std::int64_t padding : {0, 8})
                expect_exact<T, T>({row, c.m, c.n, c.k, c.layouts, padding, 0, false},
                                   [&](const auto& call, const auto& with) {
                                       return cuda::mma::is_lean(call) &&
                                              cuda::mma::prepare_lean(call, row)->run(with);
                                   });
}

TEST_F(batch_tiles, lean_ones) {
    expect_lean_exact<bf16>();
    expect_lean_exact<f16>();
}

// What lean kernels can't do, each alone.
TEST(lean, takes_nothing_special) {
    const core::gpu_call plain{.problem = core::row_major_problem(dtype::bf16, 64, 64, 64)};
    EXPECT_TRUE(cuda::mma::is_lean(plain));
    const auto is_lean = [&](const auto& changed) {
        core::gpu_call call = plain;
        changed(call);
        return cuda::mma::is_lean(call);
    };
    EXPECT_FALSE(is_lean([](auto& call) { call.problem.beta = 1; }));
    EXPECT_FALSE(is_lean([](auto& call) { call.problem.c_type = dtype::f32; }));
    EXPECT_FALSE(is_lean([](auto& call) { call.epilogue.changes_sums = true; }));
    EXPECT_FALSE(is_lean([](auto& call) { call.aligned.b = false; }));
    EXPECT_FALSE(is_lean([](auto& call) { call.products = {core::multiplicity::rows, 4}; }));
    EXPECT_FALSE(is_lean([](auto& call) { call.products = {core::multiplicity::strided, 65536}; }));
    EXPECT_FALSE(is_lean([](auto& call) {
        call.problem = core::row_major_problem(dtype::bf16, 64, 64, 60);
    })) << "whose lines of A end within 16 bytes";
    EXPECT_FALSE(is_lean([](auto& call) { call.problem.c_layout = core::column_major(64); }));
    EXPECT_FALSE(is_lean(
        [](auto& call) { call.problem = core::row_major_problem(dtype::f32, 64, 64, 64); }));
}

// Large tiles, by the row of their table; operands that they don't read are packed.
template <class In, class Out, class InB = In>
void expect_large_exact(arithmetic how) {
    const std::size_t rows = cuda::mma::multistage_tiles(dtype_of_v<In>, how).size();
    const auto run = [](std::size_t row, int splits = 1) {
        return [row, splits](const auto& call, const auto& with) {
            using namespace cuda::mma;
            return prepare_packed(call, packs_for_multistage(call),
                                  [&](const core::gpu_call& read) {
                                      return prepare_multistage(read, row, splits);
                                  })
                ->run(with);
        };
    };
    for (std::size_t row = 0; row < rows; ++row)
        for (const int layouts : {0, 1, 2, 3, 4, 5, 6, 7}) {
            for (const std::int64_t padding : {0, 3, 16})
                for (const bool adds : {false, true})
                    expect_exact<In, Out, InB>({row, 133, 264, 144, layouts, padding, 0, adds, how},
                                               run(row));
            // K in part of a stage, in one, in as many as are under way, in many and a part.
            for (const std::int64_t k : {1, 48, 64, 256, 1000})
                for (const int splits : {1, 2, 5})
                    expect_exact<In, Out, InB>({row, 40, 72, k, layouts, 16, 0, false, how},
                                               run(row, splits));
        }
}

TEST_F(batch_tiles, large_ones_of_f16_and_bf16) {
    expect_large_exact<bf16, bf16>(arithmetic::native);
    expect_large_exact<f16, float>(arithmetic::native);
}
TEST_F(batch_tiles, large_ones_of_f32) {
    expect_large_exact<float, float>(arithmetic::native);
}
TEST_F(batch_tiles, large_ones_of_f64) {
    expect_large_exact<double, double>(arithmetic::native);
}
TEST_F(batch_tiles, large_ones_of_tf32) {
    expect_large_exact<float, float>(arithmetic::tf32);
}
TEST_F(batch_tiles, large_ones_of_3xtf32) {
    expect_large_exact<float, float>(arithmetic::three_tf32);
}
TEST_F(batch_tiles, large_ones_of_int8) {
    expect_large_exact<std::int8_t, std::int32_t>(arithmetic::native);
}
TEST_F(batch_tiles, large_ones_of_fp8) {
    expect_large_exact<e4m3, float>(arithmetic::native);
    expect_large_exact<e4m3, bf16>(arithmetic::fast_fp8);
    expect_large_exact<e5m2, float, e4m3>(arithmetic::native);
    expect_large_exact<e5m2, bf16, e4m3>(arithmetic::fast_fp8);
}

// Scale, bias, activation and E come once, after all parts have been added up.
template <class Out>
void expect_the_same_epilogue(int layouts, bool large) {
    const one_case c = {1, 133, 72, 520, layouts, 8, 0, true};
    many<bf16> a(1, c.layout(1, c.m, c.k), c.m, c.k, 8, 0);
    many<bf16> b(1, c.layout(2, c.k, c.n), c.k, c.n, 8, 0);
    many<Out> to(1, c.layout(4, c.m, c.n), c.m, c.n, 8, 0);
    many<Out> e(1, to.at, c.m, c.n, 8, 0);
    many<float> numbers(1, core::row_major(c.m), 2, c.m, 8, 0);
    a.fill(1, c.m, c.k), b.fill(2, c.k, c.n), e.fill(3, c.m, c.n), numbers.fill(4, 2, c.m);
    a.upload(), b.upload(), e.upload(), numbers.upload();
    core::gpu_call call{.problem = core::row_major_problem(dtype::bf16, c.m, c.n, c.k),
                        .aligned = {true, true}};
    call.problem.c_type = dtype_of_v<Out>;
    call.problem.a_layout = a.at, call.problem.b_layout = b.at, call.problem.c_layout = to.at;
    call.problem.alpha = 2, call.problem.beta = -1;
    cuda::bindings with;
    with.data = {a.data(), b.data(), to.data()};
    const auto* of_rows = static_cast<const float*>(numbers.data());
    with.fusion = {.scale = {of_rows, true},
                   .bias = {of_rows + c.m, false},
                   .activation_function = cuda::activation::relu,
                   .residual = e.data()};
    call.epilogue = cuda::epilogue_of(with.fusion);
    std::vector<std::vector<Out>> got;
    for (const int parts : {1, 3, 12}) {
        to.upload();
        const auto made = large ? cuda::mma::prepare_multistage(call, c.row, parts)
                                : cuda::mma::prepare(call, c.row, parts);
        ASSERT_TRUE(made->run(with));
        got.push_back(to.downloaded());
        EXPECT_EQ(std::memcmp(got[0].data(), got.back().data(), got[0].size() * sizeof(Out)), 0)
            << text(c) << ", " << parts << " parts" << (large ? ", large" : "");
        EXPECT_EQ(made->kernels().size(), parts == 1 ? 1 : 2);
    }
}

TEST_F(batch_tiles, parts_of_k_take_the_epilogue_of_the_whole) {
    for (const int layouts : {0, 4})
        for (const bool large : {false, true}) {
            expect_the_same_epilogue<bf16>(layouts, large);
            expect_the_same_epilogue<float>(layouts, large);
        }
}

// Where four CTAs split K, two tiles of 128 x 128 leave each other room for a pipeline of one
// stage: that never ended, since a consumer keeps one while it waits for the next.
TEST_F(batch_tiles, a_batch_has_the_stages_that_its_tiles_need) {
    core::settings asked;
    asked.tunables = {{"block_m", 128}, {"block_n", 128}, {"split_k", 4}, {"ctas_per_sm", 2}};
    const one_case c = {.row = 0,
                        .m = 130,
                        .n = 136,
                        .k = 2816,
                        .layouts = 0,
                        .padding = 0,
                        .offset = 0,
                        .adds = false};
    expect_exact<f16, float>(c, [&](const auto& call, const auto& with) {
        const auto made =
            gpu_engine::prepare({.problem = call.problem, .products = call.products}, asked);
        return made != nullptr && made->run(with);
    });
}

// Packing lines of few odd elements takes longer than their product; packing 4001 of 4001 takes
// less than what wgmma saves.
TEST_F(batch_tiles, small_products_that_would_be_packed_are_not) {
    const auto is_in_place = [](dtype type, std::int64_t size, std::int64_t k) {
        const auto made = gpu_engine::prepare(
            {.problem = core::row_major_problem(type, size, size, k)}, core::settings{});
        return made->planned().why.find("read where they lie") != std::string::npos;
    };
    for (const dtype type : {dtype::f16, dtype::bf16}) {
        EXPECT_TRUE(is_in_place(type, 129, 13)) << name(type);
        EXPECT_FALSE(is_in_place(type, 104, 104)) << name(type) << ", whose lines TMA reads";
        EXPECT_FALSE(is_in_place(type, 4001, 4001)) << name(type);
    }
}

}  // namespace
