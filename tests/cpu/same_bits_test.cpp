// One product has the same bits on one thread or several, in part, in a batch, and with a prepared
// operand, for every row of kernels. Operands are contiguous along k or across it, whole pages
// apart, or repeated.
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

template <class T>
class same_bits : public testing::Test {};
using all_types = testing::Types<double, float>;
TYPED_TEST_SUITE(same_bits, all_types);

// The layout of an operand's lines (rows of A, columns of B).
enum class lines { apart, side_by_side, pages_apart, on_one };

struct line_layout {
    std::int64_t outer;
    std::int64_t depth;
};

template <class T>
line_layout layout_of(lines how, std::int64_t count, std::int64_t k) {
    constexpr auto page = static_cast<std::int64_t>(4096 / sizeof(T));
    if (how == lines::apart) return {k, 1};
    if (how == lines::side_by_side) return {1, count};
    return {1, how == lines::on_one ? 0 : page};
}

// Made once.
template <class T, unsigned Seed, std::size_t Count>
const std::vector<T>& random_numbers() {
    static const std::vector<T> numbers = [] {
        std::mt19937 random(Seed);
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<T> made(Count);
        for (T& x : made) x = static_cast<T>(uniform(random));
        return made;
    }();
    return numbers;
}

struct shape {
    std::int64_t m, n, k;
};

template <class T>
class one_product {
  public:
    one_product(const cpu_engine::kernel_set& with, const shape& s, lines of_a, lines of_b)
        : with_(with),
          a_lies_(layout_of<T>(of_a, s.m, s.k)),
          b_lies_(layout_of<T>(of_b, s.n, s.k)),
          p_(core::row_major_problem(dtype_of_v<T>, s.m, s.n, s.k)) {
        p_.a_layout = {a_lies_.outer, a_lies_.depth};
        p_.b_layout = {b_lies_.depth, b_lies_.outer};
        p_.c_layout = {1, s.m};
        p_.alpha = 0.7;
        p_.beta = -0.3;
    }

    std::vector<T> by_threads(int threads) { return run(make(threads, nullptr)); }

    std::vector<T> prepared(side place) {
        detail::prepared_operand ready;
        ready.place = place;
        const bool left = place == side::left;
        const line_layout& lies = left ? a_lies_ : b_lies_;
        cpu_engine::pack_operand(
            ready, with_, p_.a_type,
            cpu_engine::operand(left ? a_.data() : b_.data(), p_.a_type, lies.outer, lies.depth),
            left ? p_.m : p_.n, p_.k);
        return run(make(3, &ready));
    }

    // Computed in two parts.
    std::vector<T> in_parts() {
        const cpu_engine::product made = make(1, nullptr);
        std::vector<T> c = before_;
        const std::int64_t half = p_.n / 2;
        made.run_part(at(c), memory(made), {0, p_.m}, {0, half});
        core::operands rest = at(c);
        made.run_part(rest, memory(made), {0, p_.m}, {half, p_.n - half});
        return c;
    }

    std::vector<T> one_of_many() {
        const cpu_engine::product made = make(1, nullptr);
        std::vector<T> c = before_;
        made.run_many(
            {0, 1}, [&](std::size_t) { return at(c); }, memory(made));
        return c;
    }

  private:
    cpu_engine::product make(int threads, const detail::prepared_operand* ready) const {
        return {p_, threads, with_, {}, nullptr, ready};
    }
    core::operands at(std::vector<T>& c) { return {a_.data(), b_.data(), c.data()}; }
    std::byte* memory(const cpu_engine::product& made) {
        return workspace_.reserve(std::max<std::size_t>(made.workspace_bytes(), 1));
    }
    std::vector<T> run(const cpu_engine::product& made) {
        std::vector<T> c = before_;
        made.run(at(c), memory(made));
        return c;
    }

    const cpu_engine::kernel_set& with_;
    line_layout a_lies_;
    line_layout b_lies_;
    core::problem p_;
    const std::vector<T>& a_ = random_numbers<T, 1, 300 * 1024>();
    const std::vector<T>& b_ = random_numbers<T, 2, 300 * 1024>();
    const std::vector<T>& before_ = random_numbers<T, 3, 200 * 200>();
    cpu_engine::workspace workspace_;
};

template <class T>
void expect_same(const std::vector<T>& x, const std::vector<T>& y, const std::string& what) {
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(T)), 0) << what;
}

TYPED_TEST(same_bits, by_threads_parts_and_prepared_operands) {
    using T = TypeParam;
    constexpr shape shapes[] = {{2, 9, 163},  {9, 2, 163},    {4, 70, 200}, {70, 4, 200},
                                {3, 17, 129}, {24, 130, 256}, {7, 18, 257}, {60, 3, 250},
                                {1, 40, 150}, {32, 160, 128}};
    constexpr lines ways[] = {lines::apart, lines::side_by_side, lines::pages_apart, lines::on_one};
    int executed = 0;
    int sets = 0;
    for (const cpu_engine::kernel_set* set : cpu_engine::kernel_sets()) {
        if (!core::has(set->level)) continue;
        ++sets;
        for (const shape& s : shapes)
            for (const lines of_a : ways)
                for (const lines of_b : ways) {
                    one_product<T> product(*set, s, of_a, of_b);
                    const std::string what =
                        std::string(name(set->level)) + " " + std::to_string(s.m) + "x" +
                        std::to_string(s.n) + "x" + std::to_string(s.k) + " lines " +
                        std::to_string(int(of_a)) + std::to_string(int(of_b)) + ", ";
                    const std::vector<T> plain = product.by_threads(1);
                    expect_same(product.by_threads(3), plain, what + "3 threads");
                    expect_same(product.prepared(side::left), plain, what + "A prepared");
                    expect_same(product.prepared(side::right), plain, what + "B prepared");
                    expect_same(product.in_parts(), plain, what + "in parts");
                    expect_same(product.one_of_many(), plain, what + "one of many");
                    ++executed;
                }
    }
    EXPECT_EQ(executed, sets * 10 * 4 * 4);
}

}  // namespace
