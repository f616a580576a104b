// Products in other floating-point modes: bits and exceptions do not depend on the number of
// threads, and sums rounded in one direction are on one side of the exact value. For every row of
// the table.
#include <cfenv>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "core/dtype_traits.hpp"
#include "core/float_environment.hpp"
#include "tests/cpu/rows.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace carat;

struct mode {
    std::string name;
    core::float_mode value;
};

std::vector<mode> modes() {
    std::vector<mode> all;
    const core::float_mode usual = core::float_mode_here();
    for (const auto& [rounding, name] : {std::pair{FE_TONEAREST, "to nearest"},
                                         {FE_UPWARD, "upward"},
                                         {FE_DOWNWARD, "downward"},
                                         {FE_TOWARDZERO, "toward zero"}}) {
        std::fesetround(rounding);
        all.push_back({name, core::float_mode_here()});
    }
    core::restore(usual);
#if defined(__x86_64__)
    all.push_back({"to nearest, subnormal numbers as zeros", usual | 0x8040U});
#endif
    return all;
}

using bytes = std::vector<std::byte>;

// Values of both signs, some of whose products are subnormal.
bytes random_values(dtype type, std::int64_t count, unsigned seed) {
    bytes values(static_cast<std::size_t>(count) * size_bytes(type));
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-9, 9);
    const int smallest = type == dtype::f64 ? -1022 : type == dtype::f16 ? -14 : -126;
    core::visit(type, [&]<class T>(core::element_tag<T>) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            const double x = std::ldexp(uniform(engine), i % 16 == 0 ? smallest / 2 - 2 : 0);
            const auto value = static_cast<T>(x);
            std::memcpy(&values[i * sizeof(T)], &value, sizeof(T));
        }
    });
    return values;
}

struct shape {
    std::int64_t m, n, k;
};
constexpr shape shapes[] = {
    {250, 250, 200}, {3000, 5, 900}, {5, 3000, 900}, {1, 4000, 300}, {97, 511, 311}};

struct product_of {
    core::problem p;
    bytes a, b;

    product_of(dtype in, dtype out, const shape& s)
        : p(test::problem_of(in, in, out, s.m, s.n, s.k)),
          a(random_values(in, s.m * s.k, 1)),
          b(random_values(in, s.k * s.n, 2)) {}

    struct outcome {
        bytes c;
        core::float_flags flags;
    };
    [[nodiscard]] outcome run(const rows::implementation& row, const mode& how, int threads) const {
        outcome found{bytes(static_cast<std::size_t>(p.m * p.n) * size_bytes(p.c_type)), 0};
        const auto made = row.prepare(p, {threads, {}});
        const core::float_mode usual = core::float_mode_here();
        core::enter(how.value);
        made->run({a.data(), b.data(), found.c.data()});
        found.flags = core::float_flags_here();
        core::restore(usual);
        return found;
    }
};

int compare(const rows::implementation& row, const product_of& product) {
    int executed = 0;
    for (const mode& how : modes()) {
        const auto alone = product.run(row, how, 1);
        for (const int threads : {2, 5}) {
            const auto shared = product.run(row, how, threads);
            SCOPED_TRACE(std::string(row.name) + " " + core::describe(product.p) + " " + how.name +
                         " with " + std::to_string(threads) + " threads");
            EXPECT_EQ(shared.c, alone.c);
            EXPECT_EQ(shared.flags, alone.flags);
            ++executed;
        }
    }
    return executed;
}

TEST(float_modes, give_the_same_bits_and_exceptions_by_any_number_of_threads) {
    constexpr std::pair<dtype, dtype> types[] = {
        {dtype::f64, dtype::f64}, {dtype::f32, dtype::f32},  {dtype::f16, dtype::f32},
        {dtype::f16, dtype::f16}, {dtype::bf16, dtype::f32}, {dtype::bf16, dtype::bf16}};
    int executed = 0;
    for (const rows::implementation* row : test::available_rows())
        for (const shape& s : shapes)
            for (const auto& [in, out] : types)
                if (test::signature_of(*row, in, in, out) != nullptr)
                    executed += compare(*row, product_of(in, out, s));
    EXPECT_GE(executed, 5 * 2 * 4 * 2);
}

// Compares f32 sums with f64 sums, whose own error is some 2^-28 of that of f32.
TEST(float_modes, directed_rounding_bounds_every_sum) {
    for (const rows::implementation* row : test::available_rows())
        for (const shape& s : shapes) {
            if (test::signature_of(*row, dtype::f32, dtype::f32, dtype::f32) == nullptr) continue;
            const product_of product(dtype::f32, dtype::f32, s);
            const test::sums exact(
                verify::source{product.a.data(), dtype::f32, s.m, s.k, core::row_major(s.k)},
                verify::source{product.b.data(), dtype::f32, s.k, s.n, core::row_major(s.n)});
            for (const mode& how : modes()) {
                const double sign = how.name == "upward" ? 1 : how.name == "downward" ? -1 : 0;
                if (sign == 0) continue;
                const auto found = product.run(*row, how, 2);
                const auto* const c = reinterpret_cast<const float*>(found.c.data());
                int beyond = 0;
                for (std::int64_t i = 0; i < s.m; ++i)
                    for (std::int64_t j = 0; j < s.n; ++j)
                        beyond += sign * (double(c[i * s.n + j]) - exact(i, j)) <
                                          -0x1p-40 * exact.magnitude(i, j)
                                      ? 1
                                      : 0;
                EXPECT_EQ(beyond, 0) << row->name << " " << core::describe(product.p) << how.name;
            }
        }
}

// Choosing kernels and padding raise no exception that the numbers do not.
TEST(float_modes, nothing_traps_where_no_number_is_exceptional) {
    if (feenableexcept(FE_INVALID) < 0) GTEST_SKIP() << "NOT TESTED: this processor never traps";
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    int executed = 0;
    for (const rows::implementation* row : test::available_rows())
        for (const core::signature& types : row->signatures)
            for (const shape& s : shapes)
                for (const int threads : {1, 2}) {
                    const core::problem p =
                        test::problem_of(types.a, types.b, types.c, s.m, s.n, s.k);
                    const std::vector<double> a(static_cast<std::size_t>(s.m * s.k));
                    const std::vector<double> b(static_cast<std::size_t>(s.k * s.n));
                    std::vector<double> c(static_cast<std::size_t>(s.m * s.n));
                    row->prepare(p, {threads, {}})->run({a.data(), b.data(), c.data()});
                    ++executed;
                }
    fedisableexcept(FE_ALL_EXCEPT);
    EXPECT_GE(executed, 2 * 9 * 5 * 2);
}

}  // namespace
