// Tiles of a matrix unit and of dot products beyond the common tests: edges of tiles and steps,
// sums over several slabs, arithmetic that shows wrong rounding or saturation, and tile registers
// that must be restored.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "cpu/engine.hpp"
#include "cpu/machine.hpp"
#include "tests/parameters.hpp"

namespace {

using namespace carat;

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

template <class T>
struct matrix {
    matrix(std::int64_t rows, std::int64_t cols, order how)
        : where(layout_for(rows, cols, how)),
          data(static_cast<std::size_t>(core::extent_elements(rows, cols, where)), T(0)) {}
    T& operator()(std::int64_t i, std::int64_t j) {
        return data[static_cast<std::size_t>(i * where.row_stride + j * where.col_stride)];
    }
    core::layout where;
    std::vector<T> data;
};

template <class A, class B, class Sum>
core::problem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, const matrix<A>& a,
                         const matrix<B>& b, const matrix<Sum>& c) {
    return {dtype_of_v<A>, dtype_of_v<B>, dtype_of_v<Sum>, m, n, k,
            a.where,       b.where,       c.where,         1, 0};
}

template <class A, class B, class Sum>
void run(const cpu_engine::kernel_set& with, const core::problem& p, matrix<A>& a, matrix<B>& b,
         matrix<Sum>& c, const plan::blocking& blocks = {}) {
    const cpu_engine::product made(p, 1, with, blocks);
    cpu_engine::workspace memory;
    made.run({a.data.data(), b.data.data(), c.data.data()}, memory.reserve(made.workspace_bytes()));
}

// A whole number of -most to most - 1, or of 0 to 2 most - 1 where there are no negative ones.
template <class T>
T whole_number(std::mt19937& random, int most) {
    const int least = std::is_unsigned_v<T> ? 0 : -most;
    return T(static_cast<float>(
        std::uniform_int_distribution<int>(least, least + 2 * most - 1)(random)));
}

// Whole numbers whose products and sums every type here holds exactly.
template <class In, class Sum, class InB = In>
void check_exactly(const cpu_engine::kernel_set& with, std::int64_t m, std::int64_t n,
                   std::int64_t k, order of_a, order of_b, order of_c, const plan::blocking& blocks,
                   int most) {
    matrix<In> a(m, k, of_a);
    matrix<InB> b(k, n, of_b);
    matrix<Sum> c(m, n, of_c);
    std::mt19937 random(static_cast<unsigned>(m * 7919 + n * 104729 + k));
    for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t i = 0; i < m; ++i) a(i, p) = whole_number<In>(random, most);
        for (std::int64_t j = 0; j < n; ++j) b(p, j) = whole_number<InB>(random, most);
    }
    run(with, problem_of(m, n, k, a, b, c), a, b, c, blocks);
    int wrong = 0;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t p = 0; p < k; ++p) sum += double(a(i, p)) * double(b(p, j));
            wrong += double(c(i, j)) != sum;
        }
    EXPECT_EQ(wrong, 0) << m << " x " << n << " x " << k << " layouts " << int(of_a) << int(of_b)
                        << int(of_c);
}

template <class In, class Sum, class InB = In>
int check_edges(const cpu_engine::kernel_set& with, int most) {
    const std::int64_t sizes[] = {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97};
    const std::int64_t depths[] = {1, 31, 33, 63, 64, 65, 129, 200};
    int executed = 0;
    for (const std::int64_t m : sizes)
        for (const std::int64_t n : sizes)
            for (const std::int64_t k : depths) {
                const auto pick = [&](int step) { return orders[(executed / step + step) % 3]; };
                const plan::blocking blocks =
                    executed % 2 == 0 ? plan::blocking{} : plan::blocking{32, 64, 64};
                check_exactly<In, Sum, InB>(with, m, n, k, pick(1), pick(3), pick(9), blocks, most);
                ++executed;
            }
    return executed;
}

TEST_P(tiles, edges_of_lines_and_steps) {
    if (has_bf16_) {
        EXPECT_EQ((check_edges<bf16, float>(kernels(), 8)), 11 * 11 * 8);
    }
    EXPECT_EQ((check_edges<std::int8_t, std::int32_t>(kernels(), 128)), 11 * 11 * 8);
}

// A column-major C exchanges A and B, so both orders of the two types are covered.
TEST_P(tiles, signed_and_unsigned_bytes) {
    using i8 = std::int8_t;
    using u8 = std::uint8_t;
    EXPECT_EQ((check_edges<u8, std::int32_t, i8>(kernels(), 128)), 11 * 11 * 8);
    EXPECT_EQ((check_edges<i8, std::int32_t, u8>(kernels(), 128)), 11 * 11 * 8);
    EXPECT_EQ((check_edges<u8, std::int32_t, u8>(kernels(), 128)), 11 * 11 * 8);
}

// More than one slab and block in every direction, with kept and repacked operands.
TEST_P(tiles, many_blocks) {
    for (const order of_a : orders)
        for (const plan::blocking& blocks :
             {plan::blocking{}, plan::blocking{64, 64, 128}, plan::blocking{32, 128, 1000}}) {
            if (has_bf16_)
                check_exactly<bf16, float>(kernels(), 70, 140, 1100, of_a, order::rows, order::rows,
                                           blocks, 8);
            check_exactly<std::int8_t, std::int32_t>(kernels(), 70, 140, 2100, of_a, order::rows,
                                                     order::rows, blocks, 128);
        }
}

// A C larger than any L2, whose rows begin on cache lines, is written past the caches: every entry,
// and nothing between rows.
template <class In, class Sum>
void check_streaming(const cpu_engine::kernel_set& with, std::int64_t k) {
    constexpr std::int64_t n = 1024 + 40;
    constexpr std::int64_t stride = n + 24;
    const std::int64_t m = 2 * cpu_engine::this_machine().l2_bytes / 4 / n + 33;
    const auto lines = static_cast<std::size_t>(m * stride + 16);
    std::vector<Sum> memory(lines, Sum(-7));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    Sum* const c = memory.data() + (64 - begin % 64) % 64 / sizeof(Sum);
    matrix<In> a(m, k, order::rows);
    matrix<In> b(k, n, order::rows);
    for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t i = 0; i < m; ++i)
            a(i, p) = In(static_cast<float>((i * 7 + p * 5) % 15 - 7));
        for (std::int64_t j = 0; j < n; ++j) b(p, j) = In(static_cast<float>((j + p * 3) % 13 - 6));
    }
    core::problem p = {dtype_of_v<In>, dtype_of_v<In>, dtype_of_v<Sum>, m, n, k,
                       a.where,        b.where,        {stride, 1},     1, 0};
    const cpu_engine::product made(p, 1, with);
    cpu_engine::workspace packed;
    made.run({a.data.data(), b.data.data(), c}, packed.reserve(made.workspace_bytes()));
    // Row i of A repeats every 15 rows, column j of B every 13 columns.
    std::vector<double> expected(std::size_t{15} * 13);
    for (std::int64_t i = 0; i < 15; ++i)
        for (std::int64_t j = 0; j < 13; ++j)
            for (std::int64_t q = 0; q < k; ++q)
                expected[static_cast<std::size_t>(i * 13 + j)] += double(a(i, q)) * double(b(q, j));
    int wrong = 0;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < stride && i * stride + j < m * stride - 24; ++j) {
            const double wanted =
                j < n ? expected[static_cast<std::size_t>(i % 15 * 13 + j % 13)] : -7;
            wrong += double(c[i * stride + j]) != wanted;
        }
    EXPECT_EQ(wrong, 0) << k;
}

TEST_P(tiles, past_the_caches) {
    for (const std::int64_t k : {1, 70, 640, 2100}) {
        if (has_bf16_) check_streaming<bf16, float>(kernels(), k);
        check_streaming<std::int8_t, std::int32_t>(kernels(), k);
    }
}

// The direction along K depends on the column, not on where its thread begins.
TEST_P(tiles, sums_do_not_depend_on_threads) {
    if (!has_bf16_) GTEST_SKIP() << "NOT TESTED: no tiles of bf16";
    constexpr std::int64_t m = 32;
    constexpr std::int64_t n = 160;
    constexpr std::int64_t k = 3000;
    matrix<bf16> a(m, k, order::rows);
    matrix<bf16> b(k, n, order::rows);
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    for (bf16& x : a.data) x = bf16(normal(random));
    for (bf16& x : b.data) x = bf16(normal(random));
    const auto product_by = [&](int threads) {
        matrix<float> c(m, n, order::rows);
        const cpu_engine::product made(problem_of(m, n, k, a, b, c), threads, kernels());
        EXPECT_EQ(made.threads(), threads);
        cpu_engine::workspace packed;
        made.run({a.data.data(), b.data.data(), c.data.data()},
                 packed.reserve(made.workspace_bytes()));
        return c.data;
    };
    EXPECT_EQ(product_by(1), product_by(2));
}

// The sum of k products a b, modulo 2^32.
template <class A, class B>
void check_wrapping(const cpu_engine::kernel_set& with, A x, B y) {
    constexpr std::int64_t k = 131072;
    matrix<A> a(1, k, order::rows);
    matrix<B> b(k, 1, order::columns);
    matrix<std::int32_t> c(1, 1, order::rows);
    std::ranges::fill(a.data, x);
    std::ranges::fill(b.data, y);
    run(with, problem_of(1, 1, k, a, b, c), a, b, c);
    EXPECT_EQ(static_cast<std::uint32_t>(c(0, 0)), static_cast<std::uint32_t>(k * x * y))
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

// |C - exact| <= gamma_k |A||B|, every entry, against double; products of bf16 are exact in f32.
TEST_P(tiles, componentwise_bound) {
    if (!has_bf16_) GTEST_SKIP() << "NOT TESTED: no tiles of bf16";
    constexpr std::int64_t m = 70;
    constexpr std::int64_t n = 90;
    constexpr std::int64_t k = 3000;
    matrix<bf16> a(m, k, order::rows);
    matrix<bf16> b(k, n, order::rows);
    matrix<float> c(m, n, order::rows);
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (bf16& x : a.data) x = bf16(normal(random));
    for (bf16& x : b.data) x = bf16(normal(random));
    run(kernels(), problem_of(m, n, k, a, b, c), a, b, c);
    int checked = 0;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j, ++checked) {
            double sum = 0;
            double magnitude = 0;
            for (std::int64_t p = 0; p < k; ++p) {
                const double product = double(a(i, p)) * double(b(p, j));
                sum += product;
                magnitude += std::abs(product);
            }
            const double gamma = k * 0x1p-24 / (1 - k * 0x1p-24);
            EXPECT_LE(std::abs(c(i, j) - sum), gamma * magnitude);
        }
    EXPECT_EQ(checked, m * n);
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
    check_exactly<bf16, float>(with, 20, 20, 20, order::rows, order::rows, order::rows, {}, 8);
    EXPECT_EQ(current().bytes[0], 0);
    configuration own;
    own.bytes[0] = 1;
    own.bytes[16] = 32;  // of tile 0: bytes of a row,
    own.bytes[48] = 4;   // and rows
    asm volatile("ldtilecfg %0" : : "m"(own));
    check_exactly<bf16, float>(with, 20, 20, 20, order::rows, order::rows, order::rows, {}, 8);
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
        cpu_engine::workspace memory;
        made.run({a, a, &c}, memory.reserve(made.workspace_bytes()));
        std::exit(c == 34 ? 0 : 4);
    };
    EXPECT_EXIT(refused(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
