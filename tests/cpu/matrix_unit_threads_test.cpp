// Products on a matrix unit whose threads pack operands together: the bits are those of one thread,
// with either operand prepared and without.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "cpu/engine.hpp"
#include "cpu/make_task.hpp"

namespace {

using namespace carat;

constexpr auto sharing = "packed by all threads together";

// Numbers that neither overflow nor vanish in bf16, f16 or 8 bits.
std::vector<std::byte> random_operand(dtype type, std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> made(static_cast<std::size_t>(count) * size_bytes(type));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const auto bits = static_cast<std::uint16_t>(0x3f00u | (random() & 0x80ffu));
        std::memcpy(made.data() + i * size_bytes(type), &bits, size_bytes(type));
    }
    return made;
}

class one_product {
  public:
    one_product(const cpu_engine::kernel_set& with, dtype type, bool by_rows)
        : with_(with), p_(core::row_major_problem(type, 480, 544, 4400)) {
        p_.c_type = core::accumulator_of(type);
        if (!by_rows) {
            p_.a_layout = {1, p_.m};
            p_.b_layout = {1, p_.k};
        }
        a_ = random_operand(type, p_.m * p_.k, 1);
        b_ = random_operand(type, p_.k * p_.n, 2);
    }

    [[nodiscard]] std::string explain(int threads) const {
        return cpu_engine::product(p_, threads, with_).explain();
    }

    [[nodiscard]] std::vector<std::byte> by(int threads,
                                            const detail::prepared_operand* ready = nullptr) const {
        const cpu_engine::product made(p_, threads, with_, {}, nullptr, ready);
        cpu_engine::workspace memory;
        std::vector<std::byte> c(static_cast<std::size_t>(p_.m * p_.n) * size_bytes(p_.c_type),
                                 std::byte{77});
        made.run({a_.data(), b_.data(), c.data()},
                 memory.reserve(std::max<std::size_t>(made.workspace_bytes(), 1)));
        return c;
    }

    void prepare(detail::prepared_operand& ready, side place) const {
        ready.place = place;
        const bool left = place == side::left;
        const core::layout& lies = left ? p_.a_layout : p_.b_layout;
        cpu_engine::pack_operand(ready, with_, p_.a_type,
                                 cpu_engine::operand(left ? a_.data() : b_.data(), p_.a_type,
                                                     left ? lies.row_stride : lies.col_stride,
                                                     left ? lies.col_stride : lies.row_stride),
                                 left ? p_.m : p_.n, p_.k);
    }

  private:
    const cpu_engine::kernel_set& with_;
    core::problem p_;
    std::vector<std::byte> a_;
    std::vector<std::byte> b_;
};

bool says(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

TEST(matrix_unit_threads, pack_together_with_the_same_bits) {
    int shared = 0;
    int executed = 0;
    for (const cpu_engine::kernel_set* set : cpu_engine::kernel_sets()) {
        if (!core::has(set->level) || set->matrix_unit == nullptr) continue;
        for (const dtype type : {dtype::bf16, dtype::i8, dtype::u8}) {
            if (set->matrix_unit->find(type, type) == nullptr) continue;
            for (const bool by_rows : {true, false}) {
                const one_product of(*set, type, by_rows);
                const std::vector<std::byte> serial = of.by(1);
                detail::prepared_operand left;
                detail::prepared_operand right;
                of.prepare(left, side::left);
                of.prepare(right, side::right);
                for (const int threads : {2, 4, 16, 64}) {
                    const std::string what = std::string(name(set->level)) + " " +
                                             std::string(name(type)) + " " +
                                             std::to_string(threads) + " threads";
                    shared += says(of.explain(threads), sharing) ? 1 : 0;
                    EXPECT_EQ(of.by(threads), serial) << what;
                    EXPECT_EQ(of.by(threads, &left), serial) << what << ", A prepared";
                    EXPECT_EQ(of.by(threads, &right), serial) << what << ", B prepared";
                    ++executed;
                }
            }
        }
    }
    if (executed == 0) GTEST_SKIP() << "NOT TESTED: this machine has no tiles";
    EXPECT_GE(shared, executed / 4) << "of " << executed;
}

}  // namespace
