// Which way C takes out of a kernel of wgmma; needs no GPU.
#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

#include "cuda/families/wgmma/host/output.hpp"

namespace {

using namespace carat;
using core::kernel_desc;
using core::kernel_schedule;
using core::operand_major;
using cuda::wgmma::output;
using cuda::wgmma::store_path;
using cuda::wgmma::stored;

constexpr core::product_set one = {};
constexpr core::product_set batch = {core::multiplicity::strided, 8};
constexpr std::int64_t apart = 256 * 256;

core::problem product(dtype in, dtype out) {
    core::problem p = core::row_major_problem(in, 256, 256, 256);
    p.c_type = out;
    return p;
}

const cuda::wgmma::kernel& first(dtype type, kernel_schedule schedule,
                                 operand_major a = operand_major::k, int block_n = 0) {
    const auto& table = cuda::wgmma::kernel_table;
    const auto found = std::ranges::find_if(table, [&](const kernel_desc& k) {
        return k.a_type == type && k.b_type == type && k.schedule == schedule && k.a_major == a &&
               (block_n == 0 ? k.block_n % 64 == 0 : k.block_n == block_n);
    });
    if (found == table.end()) throw std::runtime_error("no such kernel");
    return cuda::wgmma::kernel_of(*found);
}

const cuda::wgmma::kernel& single_tile() {
    return first(dtype::bf16, kernel_schedule::single_tile);
}
const cuda::wgmma::kernel& persistent() {
    return first(dtype::bf16, kernel_schedule::cooperative);
}

// Each CTA multiplies all of K.
stored path_of(const output& of, const core::product_set& products = one, std::int64_t distance = 0,
               bool is_aligned = true) {
    return of.path(products, distance, is_aligned, 1);
}

TEST(store_path, of_single_tiles) {
    core::problem p = product(dtype::bf16, dtype::bf16);
    EXPECT_EQ(path_of({p, single_tile(), true}).path, store_path::from_registers);
    EXPECT_EQ(path_of({p, single_tile(), true}, batch, apart).path, store_path::by_lines);
    p.m = 63;
    EXPECT_EQ(path_of({p, single_tile(), true}, batch, apart).path, store_path::from_registers)
        << "a batch of few rows";
    p = product(dtype::bf16, dtype::f32);
    EXPECT_EQ(path_of({p, single_tile(), true}, batch, apart).path, store_path::from_registers)
        << "a batch of f32";
}

TEST(store_path, of_single_tiles_with_an_epilogue) {
    const core::problem p = product(dtype::bf16, dtype::bf16);
    const output wide(p, first(dtype::bf16, kernel_schedule::single_tile, operand_major::k, 128),
                      false);
    const output thin(p, first(dtype::bf16, kernel_schedule::single_tile, operand_major::k, 64),
                      false);
    EXPECT_EQ(path_of(thin), (stored{store_path::fused_from_registers, false}));
    EXPECT_EQ(path_of(wide), (stored{store_path::by_lines, false}));
    EXPECT_EQ(wide.path(one, 0, true, 2), (stored{store_path::fused_from_registers, false}))
        << "a thread owns half of its sums";
}

TEST(store_path, of_single_tiles_to_which_something_is_added) {
    core::problem p = product(dtype::bf16, dtype::bf16);
    p.beta = 1;
    const auto path = [&](const core::product_set& products = one, std::int64_t distance = 0,
                          bool is_aligned = true) {
        return path_of({p, single_tile(), true}, products, distance, is_aligned);
    };
    constexpr stored by_tma = {store_path::fused_from_registers, true};
    constexpr stored by_threads = {store_path::by_lines, false};
    EXPECT_EQ(path(), by_tma);
    EXPECT_EQ(path(one, 0, false), by_threads) << "C begins between 16 bytes";
    EXPECT_EQ(path({core::multiplicity::listed, 8}), by_threads)
        << "each of a group would need a map of its own";
    EXPECT_EQ(path(batch, apart), by_threads) << "C goes through shared memory";
    p.m = 63;
    EXPECT_EQ(path(batch, apart), by_tma);
    EXPECT_EQ(path(batch, apart + 1), by_threads);
    p.c_layout = core::column_major(256);
    EXPECT_EQ(path(), by_tma);
    p.c_layout = core::column_major(257);
    EXPECT_EQ(path(), by_threads) << "columns begin between 16 bytes";
}

TEST(store_path, of_single_tiles_to_which_f32_is_added) {
    core::problem p = product(dtype::bf16, dtype::f32);
    p.beta = 1;
    EXPECT_EQ(path_of({p, single_tile(), true}), (stored{store_path::by_lines, false}));
}

TEST(store_path, of_persistent_tiles) {
    core::problem p = product(dtype::bf16, dtype::bf16);
    EXPECT_EQ(path_of({p, persistent(), true}), (stored{store_path::by_tma, false}));
    EXPECT_EQ(path_of({p, persistent(), false}).path, store_path::fused_by_tma);
    EXPECT_EQ(path_of({p, persistent(), true}, one, 0, false).path, store_path::by_threads);
    EXPECT_EQ(path_of({p, persistent(), true}, batch, apart).path, store_path::by_tma);
    EXPECT_EQ(path_of({p, persistent(), true}, batch, apart + 1).path, store_path::by_threads);
    EXPECT_EQ(path_of({p, persistent(), true}, batch, 0).path, store_path::by_threads);
    p.c_layout.row_stride += 1;
    EXPECT_EQ(path_of({p, persistent(), true}).path, store_path::by_threads);
    p = product(dtype::bf16, dtype::bf16);
    p.beta = 1;
    EXPECT_EQ(path_of({p, persistent(), true}), (stored{store_path::fused_by_tma, true}));
}

TEST(store_path, of_columns_whose_a_goes_through_registers) {
    core::problem p = product(dtype::f32, dtype::f32);
    p.c_layout = core::column_major(256);
    const auto& by = first(dtype::f32, kernel_schedule::cooperative, operand_major::mn);
    ASSERT_TRUE(by.desc->a_from_registers());
    EXPECT_EQ(path_of({p, by, true}).path, store_path::columns_by_tma);
    p.c_layout = core::row_major(256);
    EXPECT_EQ(path_of({p, by, true}).path, store_path::by_tma);
}

// What TMA stores is told by the path alone.
TEST(store_path, says_whether_tma_stores) {
    const auto by_tma = [](store_path path) {
        cuda::wgmma::output_tensor c{};
        c.path = path;
        return c.is_by_tma();
    };
    for (const store_path path : {store_path::from_registers, store_path::fused_from_registers,
                                  store_path::by_lines, store_path::by_threads})
        EXPECT_FALSE(by_tma(path));
    for (const store_path path :
         {store_path::by_tma, store_path::fused_by_tma, store_path::columns_by_tma})
        EXPECT_TRUE(by_tma(path));
}

}  // namespace
