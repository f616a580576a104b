// Products on a matrix unit whose threads pack operands together: the bits are those of one thread,
// with either operand prepared and without.
#include <gtest/gtest.h>
#include <string>

#include "tests/cpu/engine_product.hpp"

namespace {

using namespace carat;

core::problem shared_product(dtype type, bool by_rows) {
    core::problem p = core::row_major_problem(type, 480, 544, 4400);
    p.c_type = core::accumulator_of(type);
    if (!by_rows) {
        p.a_layout = core::column_major(p.m);
        p.b_layout = core::column_major(p.k);
    }
    return p;
}

TEST(matrix_unit_threads, pack_together_with_the_same_bits) {
    int shared = 0;
    int executed = 0;
    for (const cpu_engine::kernel_set* set : cpu_engine::kernel_sets()) {
        if (!core::has(set->level) || set->matrix_unit == nullptr) continue;
        for (const dtype type : {dtype::bf16, dtype::i8, dtype::u8}) {
            if (set->matrix_unit->find(type, type) == nullptr) continue;
            for (const bool by_rows : {true, false}) {
                const test::engine_product of(shared_product(type, by_rows), *set);
                const auto serial = of.by(1);
                detail::prepared_operand left;
                detail::prepared_operand right;
                of.prepare(left, side::left);
                of.prepare(right, side::right);
                for (const int threads : {2, 4, 16, 64}) {
                    SCOPED_TRACE(std::string(name(set->level)) + " " + std::string(name(type)) +
                                 " " + std::to_string(threads) + " threads");
                    shared += of.says(threads, "packed by all threads together") ? 1 : 0;
                    EXPECT_EQ(of.by(threads), serial);
                    EXPECT_EQ(of.by(threads, nullptr, &left), serial) << "A prepared";
                    EXPECT_EQ(of.by(threads, nullptr, &right), serial) << "B prepared";
                    ++executed;
                }
            }
        }
    }
    if (executed == 0) GTEST_SKIP() << "NOT TESTED: this machine has no tiles";
    EXPECT_GE(shared, executed / 4) << "of " << executed;
}

}  // namespace
