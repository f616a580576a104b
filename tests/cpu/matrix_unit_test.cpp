// Tiles of a matrix unit and of dot products beyond the common tests: edges of tiles and steps,
// sums over several slabs, arithmetic that shows wrong rounding or saturation, and tile registers
// that must be restored.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#include "cpu/machine.hpp"
#include "tests/cpu/engine_product.hpp"
#include "tests/cpu/rows.hpp"
#include "tests/parameters.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace carat;
using test::engine_product;

// Each test runs once for each level that may have tiles.
class tiles : public testing::TestWithParam<core::isa> {
  protected:
    void SetUp() override {
        if (!core::has(GetParam())) GTEST_SKIP() << "NOT TESTED: this machine has none";
        if (kernels().matrix_unit == nullptr)
            GTEST_SKIP() << "NOT TESTED: this level has no tiles on this machine";
        has_bf16_ = kernels().matrix_unit->find(dtype::bf16, dtype::bf16) != nullptr;
        if (!has_bf16_) std::puts("NOT TESTED: bf16: this level has no tiles of it here");
    }
    static const cpu_engine::kernel_set& kernels() { return cpu_engine::kernels_for(GetParam()); }

    bool has_bf16_ = false;
};

enum class order { rows, columns, gaps };
constexpr order orders[] = {order::rows, order::columns, order::gaps};

core::layout layout_for(std::int64_t rows, std::int64_t cols, order how) {
    if (how == order::rows) return {cols + 1, 1};
    if (how == order::columns) return {1, rows + 1};
    return {3, 3 * rows};
}

core::problem problem_of(dtype a, dtype b, std::int64_t m, std::int64_t n, std::int64_t k,
                         order of_a = order::rows, order of_b = order::rows,
                         order of_c = order::rows) {
    core::problem p = test::problem_of(a, b, core::accumulator_of(a), m, n, k);
    p.a_layout = layout_for(m, k, of_a);
    p.b_layout = layout_for(k, n, of_b);
    p.c_layout = layout_for(m, n, of_c);
    return p;
}

// Whole numbers whose products and sums every type here holds exactly: bytes of any value, others
// from -8 to 7.
workload::distribution whole_numbers(dtype type) {
    if (type == dtype::i8) return workload::integers(-128, 127);
    if (type == dtype::u8) return workload::integers(0, 255);
    return workload::integers(-8, 7);
}

void expect_exact(const cpu_engine::kernel_set& with, const core::problem& p,
                  const plan::blocking& blocks = {}) {
    const engine_product product(p, with, blocks, whole_numbers);
    EXPECT_EQ(product.wrong(product.by(1)), "") << core::describe(p);
}

int check_edges(const cpu_engine::kernel_set& with, dtype a, dtype b) {
    const std::int64_t sizes[] = {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97};
    const std::int64_t depths[] = {1, 31, 33, 63, 64, 65, 129, 200};
    int executed = 0;
    for (const std::int64_t m : sizes)
        for (const std::int64_t n : sizes)
            for (const std::int64_t k : depths) {
                const auto pick = [&](int step) { return orders[(executed / step + step) % 3]; };
                expect_exact(with, problem_of(a, b, m, n, k, pick(1), pick(3), pick(9)),
                             executed % 2 == 0 ? plan::blocking{} : plan::blocking{32, 64, 64});
                ++executed;
            }
    return executed;
}

TEST_P(tiles, edges_of_lines_and_steps) {
    if (has_bf16_) {
        EXPECT_EQ(check_edges(kernels(), dtype::bf16, dtype::bf16), 11 * 11 * 8);
    }
    EXPECT_EQ(check_edges(kernels(), dtype::i8, dtype::i8), 11 * 11 * 8);
}

// A column-major C exchanges A and B, so both orders of the two types are covered.
TEST_P(tiles, signed_and_unsigned_bytes) {
    EXPECT_EQ(check_edges(kernels(), dtype::u8, dtype::i8), 11 * 11 * 8);
    EXPECT_EQ(check_edges(kernels(), dtype::i8, dtype::u8), 11 * 11 * 8);
    EXPECT_EQ(check_edges(kernels(), dtype::u8, dtype::u8), 11 * 11 * 8);
}

// More than one slab and block in every direction, with kept and repacked operands.
TEST_P(tiles, many_blocks) {
    for (const order of_a : orders)
        for (const plan::blocking& blocks :
             {plan::blocking{}, plan::blocking{64, 64, 128}, plan::blocking{32, 128, 1000}}) {
            if (has_bf16_)
                expect_exact(kernels(), problem_of(dtype::bf16, dtype::bf16, 70, 140, 1100, of_a),
                             blocks);
            expect_exact(kernels(), problem_of(dtype::i8, dtype::i8, 70, 140, 2100, of_a), blocks);
        }
}

// A C larger than any L2, whose rows begin on cache lines, is written past the caches: every entry,
// and nothing between rows.
template <class In, class Sum>
void check_streaming(const cpu_engine::kernel_set& with, std::int64_t k) {
    constexpr std::int64_t n = 1024 + 40;
    constexpr std::int64_t stride = n + 24;
    constexpr std::int64_t every_row = 15, every_column = 13;  // A and B repeat after so many
    const std::int64_t m = 2 * cpu_engine::this_machine().l2_bytes / 4 / n + 33;
    const auto lines = static_cast<std::size_t>(m * stride + 16);
    std::vector<Sum> memory(lines, Sum(-7));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    Sum* const c = memory.data() + (64 - begin % 64) % 64 / sizeof(Sum);
    std::vector<In> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
    for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t i = 0; i < m; ++i)
            a[static_cast<std::size_t>(i * k + p)] =
                In(static_cast<float>((i * 7 + p * 5) % every_row - 7));
        for (std::int64_t j = 0; j < n; ++j)
            b[static_cast<std::size_t>(p * n + j)] =
                In(static_cast<float>((j + p * 3) % every_column - 6));
    }
    core::problem p = test::problem_of(dtype_of_v<In>, dtype_of_v<In>, dtype_of_v<Sum>, m, n, k);
    p.c_layout = {stride, 1};
    const cpu_engine::product made(p, 1, with);
    const cpu_engine::call_memory packed(made.workspace_bytes());
    made.run({a.data(), b.data(), c}, packed.data());
    const test::sums expected(verify::source{a.data(), p.a_type, every_row, k, p.a_layout},
                              verify::source{b.data(), p.b_type, k, every_column, p.b_layout});
    EXPECT_EQ(
        test::wrong_among(
            m, stride,
            [&](auto i, auto j) { return i + 1 == m && j >= n ? -7 : c[i * stride + j]; },
            [&](auto i, auto j) { return j < n ? expected(i % every_row, j % every_column) : -7; }),
        "")
        << k;
}

TEST_P(tiles, past_the_caches) {
    for (const std::int64_t k : {1, 70, 640, 2100}) {
        if (has_bf16_) check_streaming<bf16, float>(kernels(), k);
        check_streaming<std::int8_t, std::int32_t>(kernels(), k);
    }
}

workload::distribution normal_numbers(dtype) {
    return workload::normal(0, 1);
}

// The direction along K depends on the column, not on where its thread begins.
TEST_P(tiles, sums_do_not_depend_on_threads) {
    if (!has_bf16_) GTEST_SKIP() << "NOT TESTED: no tiles of bf16";
    const engine_product product(problem_of(dtype::bf16, dtype::bf16, 32, 160, 3000), kernels(), {},
                                 normal_numbers);
    EXPECT_EQ(product.make(2).threads(), 2);
    EXPECT_EQ(product.by(1), product.by(2));
}

// The sum of k products a b, modulo 2^32.
template <class A, class B>
void check_wrapping(const cpu_engine::kernel_set& with, A x, B y) {
    constexpr std::int64_t k = 131072;
    const std::vector<A> a(k, x);
    const std::vector<B> b(k, y);
    std::int32_t c = 0;
    const core::problem p = test::problem_of(dtype_of_v<A>, dtype_of_v<B>, dtype::i32, 1, 1, k);
    const cpu_engine::product made(p, 1, with);
    const cpu_engine::call_memory memory(made.workspace_bytes());
    made.run({a.data(), b.data(), &c}, memory.data());
    EXPECT_EQ(static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(k * x * y))
        << int(x) << " " << int(y);
}

// Sums wrap, they do not saturate: 131072 times -128 times -128 is 2^31.
TEST_P(tiles, integers_are_modulo_2_to_the_32) {
    check_wrapping<std::int8_t, std::int8_t>(kernels(), -128, -128);
    check_wrapping<std::int8_t, std::int8_t>(kernels(), -128, 127);
    check_wrapping<std::int8_t, std::uint8_t>(kernels(), -128, 255);
    check_wrapping<std::uint8_t, std::int8_t>(kernels(), 255, -128);
    check_wrapping<std::uint8_t, std::uint8_t>(kernels(), 255, 255);
}

// Every entry within the bound of any order of f32 sums; products of bf16 are exact in f32.
TEST_P(tiles, componentwise_bound) {
    if (!has_bf16_) GTEST_SKIP() << "NOT TESTED: no tiles of bf16";
    const engine_product product(problem_of(dtype::bf16, dtype::bf16, 70, 90, 3000), kernels(), {},
                                 normal_numbers);
    EXPECT_EQ(product.wrong(product.by(1)), "");
}

#if defined(__aarch64__)
const auto levels_with_tiles = testing::Values(core::isa::dotprod, core::isa::i8mm);
#else
const auto levels_with_tiles = testing::Values(core::isa::avx2, core::isa::avx512, core::isa::amx);
#endif
INSTANTIATE_TEST_SUITE_P(levels, tiles, levels_with_tiles, test::as_printed);

#if defined(__x86_64__)
struct alignas(64) configuration {
    unsigned char bytes[64] = {};
};

[[gnu::target("amx-tile")]] configuration current() {
    configuration now;
    asm volatile("sttilecfg %0" : "=m"(now));
    return now;
}

// The caller's own configuration is restored; if there was none, the registers are released.
TEST(tile_registers, configuration_of_the_thread_is_restored) {
    if (!core::tiles_permitted()) GTEST_SKIP() << "NOT TESTED: no tile registers here";
    const cpu_engine::kernel_set& with = cpu_engine::kernels_for(core::isa::amx);
    EXPECT_EQ(current().bytes[0], 0);
    expect_exact(with, problem_of(dtype::bf16, dtype::bf16, 20, 20, 20));
    EXPECT_EQ(current().bytes[0], 0);
    configuration own;
    own.bytes[0] = 1;
    own.bytes[16] = 32;  // of tile 0: bytes of a row,
    own.bytes[48] = 4;   // and rows
    asm volatile("ldtilecfg %0" : : "m"(own));
    expect_exact(with, problem_of(dtype::bf16, dtype::bf16, 20, 20, 20));
    const configuration after = current();
    asm volatile("tilerelease");
    EXPECT_TRUE(std::ranges::equal(after.bytes, own.bytes));
}
// Linux refuses permission if a signal stack cannot hold the larger frame. The child is this
// program, started again, since permission is requested once.
TEST(tile_registers, refused_permission_leaves_avx512) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto refused = [] {
        static char small[4096];
        const stack_t stack = {.ss_sp = small, .ss_flags = 0, .ss_size = sizeof small};
        if (sigaltstack(&stack, nullptr) != 0) std::exit(2);
        if (core::tiles_permitted() || core::best_isa() == core::isa::amx) std::exit(3);
        core::problem p = core::row_major_problem(dtype::i8, 1, 1, 2);
        p.c_type = dtype::i32;
        const std::int8_t a[] = {3, 5};
        std::int32_t c = 0;
        const cpu_engine::product made(p, 1, cpu_engine::kernels_for(core::isa_in_use()));
        const cpu_engine::call_memory memory(made.workspace_bytes());
        made.run({a, a, &c}, memory.data());
        std::exit(c == 34 ? 0 : 4);
    };
    EXPECT_EXIT(refused(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
