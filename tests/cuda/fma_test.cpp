// What the sweep's small shapes do not reach in the kernels for f64, f32 and one row or column of
// C: more tiles than CTAs, K so long that CTAs share it, and the same bits every time. Skipped
// without a GPU.
#include <cstring>
#include <gtest/gtest.h>

#include "cuda/common/device.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/fma/product.hpp"
#include "lab/rows/cuda/table.hpp"
#include "tests/cuda/many.hpp"
#include "tests/cuda/sweep.hpp"

namespace {

using namespace carat;

core::settings asking_for(const plan::fma_way& tile, int parts) {
    return {1,
            {{"block_m", tile.m},
             {"block_n", tile.n},
             {"turned", static_cast<int>(tile.arrives)},
             {"split_k", parts}}};
}

// Bit 0: A's lines run across K; bit 1: B's along it.
bool takes(const plan::fma_way& tile, int layouts) {
    return tile.arrives != plan::arrival::straight || layouts == 0;
}

// Tiles of these types times the layouts they take.
int tiles_in_layouts(std::initializer_list<dtype> types) {
    int all = 0;
    for (const dtype type : types)
        for (const plan::fma_way& tile : cuda::fma::tiles_of(type))
            for (const int layouts : {0, 1, 2, 3}) all += takes(tile, layouts) ? 1 : 0;
    return all;
}

class fma : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        if (const std::string why =
                engine().unsupported(core::row_major_problem(dtype::f64, 1, 1, 1), {});
            !why.empty())
            GTEST_SKIP() << why;
    }
    static const rows::implementation& engine() { return *rows::cuda::table()[0]; }
};

// Kernels may read other products in place. Needs no GPU.
TEST_F(fma, many_tiles_and_few_ctas) {
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const plan::fma_way& tile : cuda::fma::tiles_of(type)) {
            test::trial t{core::row_major_problem(type, 2449, 2310, 24), 0};
            t.p.beta = -1;
            const core::settings how = asking_for(tile, 1);
            EXPECT_EQ(test::check(engine(), how, t), "");
        }
}

TEST_F(fma, a_tile_that_no_kernel_has_is_refused) {
    const core::problem p = core::row_major_problem(dtype::f64, 256, 256, 256);
    EXPECT_EQ(engine().unsupported(p, {1, {{"block_m", 128}, {"block_n", 128}}}), "");
    EXPECT_NE(engine().unsupported(p, {1, {{"block_m", 256}}}), "");
    EXPECT_NE(engine().unsupported(p, {1, {{"block_n", 160}}}), "");
}

// Each operand row- and column-major, aligned and not.
TEST_F(fma, every_pair_of_layouts_over_a_long_k) {
    const std::int64_t m = 200, n = 140, k = 1500;
    int ran = 0;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const int layouts : {0, 1, 2, 3})
            for (const std::int64_t padding : {0, 1})
                for (const auto& [tile, parts] : {std::pair{0, 1}, {0, 8}, {128, 1}, {128, 4}}) {
                    test::trial t{core::row_major_problem(type, m, n, k), 0};
                    t.p.a_layout = layouts % 2 == 0 ? core::row_major(k + padding)
                                                    : core::column_major(m + padding);
                    t.p.b_layout = layouts / 2 == 0 ? core::row_major(n + padding)
                                                    : core::column_major(k + padding);
                    t.p.alpha = 2;
                    const core::settings how{1, {{"block_n", tile}, {"split_k", parts}}};
                    ASSERT_EQ(test::check(engine(), how, t), "");
                    ++ran;
                }
    EXPECT_EQ(ran, 64);
}

// Uses clusters and groups of CTAs, some with a larger part of K than others.
TEST_F(fma, every_tile_and_cut_in_every_pair_of_layouts) {
    const std::int64_t m = 200, n = 140, k = 1000;
    int ran = 0;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const plan::fma_way& tile : cuda::fma::tiles_of(type))
            for (const int layouts : {0, 1, 2, 3})
                for (const int parts : {1, 2, 3, 4, 6, 8}) {
                    if (!takes(tile, layouts)) continue;
                    test::trial t{core::row_major_problem(type, m, n, k), 0};
                    if (layouts % 2 != 0) t.p.a_layout = core::column_major(m);
                    if (layouts / 2 != 0) t.p.b_layout = core::column_major(k);
                    t.p.beta = parts % 2 == 0 ? 0 : -1;
                    const core::settings how = asking_for(tile, parts);
                    ASSERT_EQ(test::check(engine(), how, t), "")
                        << tile.m << " x " << tile.n << ", " << parts << " parts";
                    ++ran;
                }
    EXPECT_EQ(ran, tiles_in_layouts({dtype::f32, dtype::f64}) * 6);
}

// Some tiles read lines that begin anywhere, the others have them packed.
int check_lines_that_begin_anywhere(const rows::implementation& engine, dtype type,
                                    const plan::fma_way& tile, int layouts) {
    int ran = 0;
    for (const std::int64_t padding : {0, 1, 2, 3})
        for (const std::int64_t offset : {0, 1, 2, 3})
            for (std::int64_t k : {1, 5, 61, 150}) {
                if (tile.arrives == plan::arrival::straight) k = std::max<std::int64_t>(k, 2);
                const std::int64_t m = 257 + padding, n = 259 - padding;
                test::trial t{core::row_major_problem(type, m, n, k), offset};
                t.p.a_layout = layouts % 2 == 0 ? core::row_major(k + padding)
                                                : core::column_major(m + padding);
                t.p.b_layout = layouts / 2 == 0 ? core::row_major(n + padding)
                                                : core::column_major(k + padding);
                t.p.beta = padding == 0 ? -1 : 0;
                const core::settings how = asking_for(tile, static_cast<int>(1 + offset));
                EXPECT_EQ(test::check(engine, how, t), "")
                    << tile.m << " x " << tile.n << ", layouts " << layouts << ", padding "
                    << padding << ", offset " << offset << ", K " << k;
                ++ran;
            }
    return ran;
}

TEST_F(fma, lines_may_begin_anywhere) {
    int ran = 0;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const plan::fma_way& tile : cuda::fma::tiles_of(type))
            for (const int layouts : {0, 1, 2, 3})
                if (takes(tile, layouts))
                    ran += check_lines_that_begin_anywhere(engine(), type, tile, layouts);
    EXPECT_EQ(ran, tiles_in_layouts({dtype::f32, dtype::f64}) * 4 * 4 * 4);
}

// A quarter of the lines of f32 that begin anywhere, or half of those of f64, may be none at all.
TEST_F(fma, operands_may_have_few_lines) {
    int ran = 0;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const plan::fma_way& tile : cuda::fma::tiles_of(type))
            for (const int layouts : {0, 1, 2, 3})
                for (const std::int64_t m : {2, 3, 33})
                    for (const std::int64_t n : {2, 3, 35}) {
                        if (!takes(tile, layouts)) continue;
                        test::trial t{core::row_major_problem(type, m, n, 45), 1};
                        if (layouts % 2 != 0) t.p.a_layout = core::column_major(m);
                        if (layouts / 2 != 0) t.p.b_layout = core::column_major(45);
                        const core::settings how = asking_for(tile, 1);
                        ASSERT_EQ(test::check(engine(), how, t), "")
                            << tile.m << " x " << tile.n << ", layouts " << layouts << ", " << m
                            << " x " << n;
                        ++ran;
                    }
    EXPECT_EQ(ran, tiles_in_layouts({dtype::f32, dtype::f64}) * 3 * 3);
}

// check() also checks the memory between the rows.
TEST_F(fma, rows_of_c_may_begin_and_end_anywhere) {
    int ran = 0;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const plan::fma_way& tile : cuda::fma::tiles_of(type))
            for (const std::int64_t offset : {0, 1, 2, 3})
                for (const std::int64_t padding : {0, 1, 2, 3})
                    for (const std::int64_t n : {1, 5, 67, 128, 261}) {
                        // One column of B is a line along K.
                        if (n == 1 && tile.arrives == plan::arrival::straight) continue;
                        test::trial t{core::row_major_problem(type, 131, n, 40), offset};
                        t.p.c_layout = core::row_major(n + padding);
                        t.p.alpha = -2;
                        const core::settings how = asking_for(tile, 1);
                        ASSERT_EQ(test::check(engine(), how, t), "");
                        ++ran;
                    }
    EXPECT_GE(ran, 2 * 3 * 4 * 4 * 5);
}

// Three products, whose lines begin anywhere, by one launch of a row of the table.
void expect_exact_batch(std::size_t row, std::int64_t padding_a, std::int64_t padding_b) {
    constexpr std::int64_t count = 3, m = 70, n = 131, k = 45;
    test::many<double> a(count, core::row_major(k + padding_a), m, k, 2, 0);
    test::many<double> b(count, core::row_major(n + padding_b), k, n, 2, 0);
    test::many<double> c(count, core::row_major(n), m, n, 2, 0);
    a.fill(1, m, k), b.fill(2, k, n);
    a.upload(), b.upload(), c.upload();
    core::gpu_call call{.problem = core::row_major_problem(dtype::f64, m, n, k),
                        .aligned = {true, true},
                        .products = {core::multiplicity::strided, count}};
    call.problem.a_layout = a.at, call.problem.b_layout = b.at;
    cuda::bindings with;
    with.data = {.a = a.data(), .b = b.data(), .c = c.data()};
    with.apart = {a.apart, b.apart, c.apart};
    const auto made = cuda::fma::prepare(call, {.row = row, .split_k = 1, .cluster_k = 1});
    ASSERT_TRUE(made && made->run(with)) << row;
    for (std::int64_t x = 0; x < count; ++x) {
        const test::sums product(a.source(x, m, k), b.source(x, k, n));
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) c.here[c.place(x, i, j)] = product(i, j);
    }
    const std::vector<double> got = c.downloaded();
    EXPECT_EQ(std::memcmp(got.data(), c.here.data(), got.size() * sizeof(double)), 0)
        << row << ", paddings " << padding_a << " and " << padding_b;
}

TEST_F(fma, straight_tiles_of_f64_take_batches) {
    int ran = 0;
    for (std::size_t row = 0; row < cuda::fma::kernel_table.size(); ++row) {
        const cuda::fma::kernel_desc& k = cuda::fma::kernel_table[row];
        if (!k.is_f64() || k.arrives != plan::arrival::straight) continue;
        for (const std::int64_t padding_a : {0, 1})
            for (const std::int64_t padding_b : {0, 1}) {
                expect_exact_batch(row, padding_a, padding_b);
                ++ran;
            }
    }
    EXPECT_EQ(ran, 6 * 4);
}

TEST_F(fma, vectors_over_a_long_k) {
    int ran = 0;
    for (const dtype type : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16})
        for (const std::int64_t lines : {1, 33, 1000})
            for (const std::int64_t k : {40, 255, 500, 2049, 9000})
                for (const int kind : {0, 1, 2, 3})
                    for (const bool one_row : {true, false}) {
                        const std::int64_t m = one_row ? 1 : lines;
                        const std::int64_t n = one_row ? lines : 1;
                        test::trial t{core::row_major_problem(type, m, n, k), kind == 3 ? 1 : 0};
                        if (size_bytes(type) == 2) t.p.c_type = dtype::f32;
                        core::layout& matrix = one_row ? t.p.b_layout : t.p.a_layout;
                        const std::int64_t rows = one_row ? k : m;
                        const std::int64_t cols = one_row ? n : k;
                        matrix = kind % 2 == 0 ? core::row_major((cols + 15) / 8 * 8)
                                               : core::column_major(rows + kind);
                        t.p.alpha = -1;
                        t.p.beta = kind == 2 ? 2 : 0;
                        ASSERT_EQ(test::check(engine(), {}, t), "");
                        ++ran;
                    }
    EXPECT_EQ(ran, 4 * 3 * 5 * 4 * 2);
}

TEST_F(fma, the_same_bits_every_time) {
    int compared = 0;
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const std::int64_t m : {1, 300}) {
            const core::problem p = core::row_major_problem(type, m, 200, 3000);
            test::operand_set data(p, 0);
            data.a.draw(workload::uniform(-1, 1), workload::operand::a);
            data.b.draw(workload::uniform(-1, 1), workload::operand::b);
            test::run_on_device(engine(), p, {}, data);
            const std::vector<std::byte> first = data.c.bytes();
            for (int again = 0; again < 30; ++again) {
                test::run_on_device(engine(), p, {}, data);
                ASSERT_EQ(data.c.bytes(), first) << describe(p);
                ++compared;
            }
        }
    EXPECT_EQ(compared, 4 * 30);
}

}  // namespace
