// Products with few columns or few rows, for every instruction set, compared with sums of small
// integers, which every type holds exactly; operands end at inaccessible pages, and are parts of
// others, with padding that must not change.
#include <gtest/gtest.h>
#include <vector>

#include "cpu/blocked/five_loops.hpp"
#include "cpu/engine.hpp"
#include "cpu/machine.hpp"
#include "cpu/skinny/loops.hpp"
#include "cpu/unpacked/loops.hpp"
#include "lab/verify/verify.hpp"
#include "tests/cpu/engine_product.hpp"
#include "tests/support/guarded_matrix.hpp"

namespace {

using namespace carat;
using cpu_engine::kernel_of;
using cpu_engine::kernel_set;

template <class T>
constexpr dtype type_of = std::is_same_v<T, double>  ? dtype::f64
                          : std::is_same_v<T, float> ? dtype::f32
                                                     : dtype::i32;

struct skinny_case {
    std::int64_t m, n, k;
    core::layout a, b, c;
};

// One product whose operands end where inaccessible pages begin.
template <class T>
struct skinny_product {
    skinny_product(const skinny_case& s, T alpha, T beta)
        : problem{type_of<T>, type_of<T>, type_of<T>, s.m,           s.n,         s.k,
                  s.a,        s.b,        s.c,        double(alpha), double(beta)},
          a(type_of<T>, s.m, s.k, s.a, {test::flush::back, 0}),
          b(type_of<T>, s.k, s.n, s.b, {test::flush::back, 0}),
          c(type_of<T>, s.m, s.n, s.c, {test::flush::back, 0}) {
        const auto small = workload::integers(0, 7);
        a.fill(small, 1, workload::operand::a);
        b.fill(small, 1, workload::operand::b);
        c.fill(small, 1, workload::operand::c);
    }
    core::problem problem;
    test::guarded_matrix a, b, c;
};

template <class T>
cpu_engine::task<T> task_of(const kernel_set& set, const skinny_product<T>& of) {
    const core::problem& p = of.problem;
    return {.with = &kernel_of<T>(set),
            .pack_a = kernel_of<T>(set).pack[p.a_type].a,
            .pack_b = kernel_of<T>(set).pack[p.b_type].b,
            .m = p.m,
            .n = p.n,
            .k = p.k,
            .a = {of.a.data(), sizeof(T), p.a_layout.row_stride, p.a_layout.col_stride},
            .b = {of.b.data(), sizeof(T), p.b_layout.col_stride, p.b_layout.row_stride},
            .c = reinterpret_cast<T*>(of.c.data()),
            .c_row_stride = p.c_layout.row_stride,
            .c_col_stride = p.c_layout.col_stride,
            .alpha = static_cast<T>(p.alpha),
            .beta = static_cast<T>(p.beta)};
}

// `multiply` gets the task, which must be exact and leave all else alone; one more is executed.
template <class T, class Multiply>
void expect_exact(const kernel_set& set, const skinny_case& shape, T alpha, T beta, int& executed,
                  Multiply multiply) {
    const skinny_product<T> of(shape, alpha, beta);
    const verify::reference exact(of.problem, {of.a.data(), of.b.data(), of.c.data()},
                                  {.threads = 1});
    const std::vector<std::byte> around = of.c.surroundings();
    multiply(task_of<T>(set, of));
    EXPECT_EQ(exact.check(of.c.data()).reason, "") << core::describe(of.problem);
    EXPECT_TRUE(of.c.surroundings() == around) << core::describe(of.problem);
    ++executed;
}

// Each set of kernels that runs here has `products`, which count on.
template <class Body>
void each_set(int products, Body body) {
    int executed = 0;
    int sets = 0;
    for (const kernel_set* set : cpu_engine::kernel_sets()) {
        if (!core::has(set->level)) continue;
        ++sets;
        body(*set, executed);
    }
    EXPECT_EQ(executed, sets * products);
}

// The workspace has the size that the path asks for; an inaccessible page follows.
template <class T>
void by_skinny_path(const cpu_engine::task<T>& t) {
    const std::int64_t elements =
        cpu_engine::skinny_elements<T>(t.m, t.n, t.k, t.a.outer_stride == 1, t.b.k_stride != 1);
    const test::guarded_block memory(static_cast<std::size_t>(elements) * sizeof(T),
                                     test::flush::back, 0);
    cpu_engine::multiply_skinny(t, t.k, reinterpret_cast<T*>(memory.data()));
}

template <class T>
class skinny : public testing::Test {};
using element_types = testing::Types<double, float, std::uint32_t>;
TYPED_TEST_SUITE(skinny, element_types);

// Sizes around vectors, around the stretch of rows whose sums are kept, and around the k taken
// together, with strides of whole pages; B and C row- and column-major.
TYPED_TEST(skinny, columns_of_any_number_are_exact) {
    using T = TypeParam;
    each_set(12 * 7 * 4, [](const kernel_set& set, int& executed) {
        for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 30, 32})
            for (const std::int64_t m : {1, 7, 17, 1024, 63, 600, 4100})
                for (const std::int64_t k : {1, 7, 16, 35}) {
                    const bool by_rows = executed % 2 == 0;
                    const skinny_case shape{m,
                                            n,
                                            k,
                                            core::column_major(m + executed % 3),
                                            by_rows ? core::row_major(n) : core::column_major(k),
                                            by_rows ? core::column_major(m) : core::row_major(n)};
                    expect_exact<T>(set, shape, 2, T(executed % 3), executed, by_skinny_path<T>);
                }
    });
}

TYPED_TEST(skinny, rows_against_few_columns_are_exact) {
    using T = TypeParam;
    each_set(11 * 7 * 6 - 10 * 2 * 2, [](const kernel_set& set, int& executed) {
        for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 28})
            for (const std::int64_t m : {1, 7, 8, 9, 21, 2100, 4100})
                for (const std::int64_t k : {1, 3, 16, 35, 1024, 1030}) {
                    if (m * n > 4100 && k > 35) continue;
                    const bool out_of_place = executed % 2 == 0;  // b is not contiguous
                    const skinny_case shape{
                        m,
                        n,
                        k,
                        core::row_major(k + executed % 3),
                        out_of_place ? core::row_major(n + 2) : core::column_major(k + 1),
                        core::row_major(n + executed % 4)};
                    expect_exact<T>(set, shape, 3, T(executed % 3), executed, by_skinny_path<T>);
                }
    });
}

// Few rows of A, unpacked or packed by the tile, with k divided.
TYPED_TEST(skinny, direct_with_and_without_packing_is_exact) {
    using T = TypeParam;
    each_set(10 * 7 * 3 * 2, [](const kernel_set& set, int& executed) {
        const int mr = kernel_of<T>(set).mr;
        std::vector<T> memory(static_cast<std::size_t>(cpu_engine::unpacked_elements(mr, 130, 48)));
        for (const std::int64_t m : {1, 8, 31, 32, 33, 56, 64, 65, 97, 129})
            for (const std::int64_t n : {1, 6, 11, 12, 13, 23, 50})
                for (const std::int64_t k : {5, 128, 130})
                    for (const bool packs : {false, true})
                        expect_exact<T>(set,
                                        {m, n, k, core::column_major(m), core::column_major(k),
                                         core::column_major(m)},
                                        T(1 + executed % 2), T(executed % 3), executed,
                                        [&](cpu_engine::task<T> t) {
                                            t.fetches_c = executed % 5 == 0;
                                            cpu_engine::multiply_unpacked(t, packs,
                                                                          executed % 4 < 2 ? n : 20,
                                                                          48, memory.data());
                                        });
    });
}

// A row-major C whose tiles are transposed as they are stored, or too large for L1; A with small k,
// transposed before.
TYPED_TEST(skinny, rows_of_c_and_few_depths_are_exact) {
    using T = TypeParam;
    each_set(6 * 8 * 4 * 2, [](const kernel_set& set, int& executed) {
        for (const std::int64_t m : {2, 8, 23, 48, 97, 230})
            for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 12, 60})
                for (const std::int64_t k : {1, 4, 21, 130})
                    for (const bool rows_of_a : {false, true}) {
                        const core::layout c = executed % 3 != 0
                                                   ? core::row_major(n + executed % 4)
                                                   : core::column_major(m + executed % 4);
                        std::vector<T> memory(static_cast<std::size_t>(
                            cpu_engine::unpacked_elements(kernel_of<T>(set).mr, k, 128)));
                        expect_exact<T>(
                            set,
                            {m, n, k, rows_of_a ? core::row_major(k) : core::column_major(m),
                             core::column_major(k), c},
                            T(1 + executed % 2), T(executed % 5 % 3), executed,
                            [&](const cpu_engine::task<T>& t) {
                                cpu_engine::multiply_unpacked(t, false, n, 128,
                                                              k < 40 ? nullptr : memory.data());
                            });
                    }
    });
}

// k in stretches between which C is prefetched, divided at 75. B is packed or unpacked, A is packed
// before its first tiles or by them.
TYPED_TEST(skinny, blocks_of_any_depth_are_exact) {
    using T = TypeParam;
    each_set(4 * 3 * 7, [](const kernel_set& set, int& executed) {
        const cpu_engine::kernel<T>& with = kernel_of<T>(set);
        plan::blocking blocks{4 * with.mr, 3 * with.nr, 75};
        cpu_engine::workspace memory;
        T* const room = reinterpret_cast<T*>(memory.reserve(
            static_cast<std::size_t>(cpu_engine::blocked_elements(blocks)) * sizeof(T)));
        for (const std::int64_t m : {48, 96, 100, 230})
            for (const std::int64_t n : {8, 13, 60})
                for (const std::int64_t k : {1, 20, 31, 32, 64, 75, 111}) {
                    blocks.reads_b = executed % 3 != 0;
                    blocks.fuses_packing_of_a = executed % 4 != 0;
                    expect_exact<T>(set,
                                    {m, n, k, core::column_major(m), core::column_major(k),
                                     core::column_major(m + 3)},
                                    T(1 + executed % 2), 0, executed,
                                    [&](const cpu_engine::task<T>& t) {
                                        cpu_engine::multiply_blocked(t, blocks, room);
                                    });
                }
    });
}

// Runs through the engine, whose plan chooses these paths, with any number of threads.
TEST(skinny, threads_do_not_change_the_bits) {
    struct {
        std::int64_t m, n, k;
        const char* path;
        bool b_by_columns;
    } const cases[] = {{1, 3000, 700, "skinny", false},    {1, 3000, 700, "skinny", true},
                       {7, 700, 1500, "skinny", false},    {20, 900, 1500, "skinny", false},
                       {700, 3, 150, "skinny", false},     {3, 700, 150, "skinny", true},
                       {900, 30, 1100, "unpacked", false}, {150, 140, 130, "unpacked", false},
                       {150, 140, 130, "unpacked", true},  {300, 950, 700, "panels of B", false},
                       {6000, 5, 400, "skinny", false},    {1000, 128, 500, "unpacked", false}};
    // The machine decides the path (size of L2, width of vectors), but never the bits.
    const cpu_engine::kernel_set& kernels = cpu_engine::kernels_for(core::isa_in_use());
    const bool path_is_usual =
        cpu_engine::this_machine().l2_bytes >= 1 << 20 && kernels.f64.lanes == 8;
    for (const auto& s : cases) {
        core::problem p = core::row_major_problem(dtype::f64, s.m, s.n, s.k);
        if (s.b_by_columns) p.b_layout = core::column_major(s.k);
        const test::engine_product of(p, kernels);
        const auto serial = of.by(1);
        for (const int threads : {1, 2, 3, 7}) {
            if (path_is_usual) {
                EXPECT_TRUE(of.says(threads, s.path)) << of.make(threads).explain();
                EXPECT_EQ(of.make(threads).threads() > 1, threads > 1);
            }
            EXPECT_EQ(of.by(threads), serial) << core::describe(p) << " with " << threads;
        }
    }
}

}  // namespace
