// Products in other floating-point modes: bits and exceptions do not depend on the number of
// threads, and sums rounded in one direction are on one side of the exact value. For every row of
// the table.
#include <cfenv>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "core/float_environment.hpp"
#include "cpu/engine.hpp"
#include "lab/rows/cpu/table.hpp"

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

// Values of both signs, some of whose products are subnormal.
template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-9, 9);
    constexpr int smallest = std::is_same_v<T, double> ? -1022
                             : std::is_same_v<T, f16>  ? -14
                                                       : -126;
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = T(std::ldexp(uniform(engine), i % 16 == 0 ? smallest / 2 - 2 : 0));
    return values;
}

struct shape {
    std::int64_t m, n, k;
};
constexpr shape shapes[] = {
    {250, 250, 200}, {3000, 5, 900}, {5, 3000, 900}, {1, 4000, 300}, {97, 511, 311}};

template <class T, class Sum>
struct product_of {
    core::problem p;
    std::vector<T> a, b;

    explicit product_of(const shape& s)
        : p(core::row_major_problem(dtype_of_v<T>, s.m, s.n, s.k)),
          a(random_values<T>(s.m * s.k, 1)),
          b(random_values<T>(s.k * s.n, 2)) {
        p.c_type = dtype_of_v<Sum>;
    }

    struct outcome {
        std::vector<Sum> c;
        core::float_flags flags;
    };
    [[nodiscard]] outcome run(const rows::implementation& row, const mode& how, int threads) const {
        outcome found{std::vector<Sum>(static_cast<std::size_t>(p.m * p.n), Sum(77)), 0};
        const auto made = row.prepare(p, {threads, {}});
        const core::float_mode usual = core::float_mode_here();
        core::enter(how.value);
        made->run({a.data(), b.data(), found.c.data()});
        found.flags = core::float_flags_here();
        core::restore(usual);
        return found;
    }
};

template <class T, class Sum>
int compare(const rows::implementation& row, const shape& s) {
    int executed = 0;
    const product_of<T, Sum> product(s);
    for (const mode& how : modes()) {
        const auto alone = product.run(row, how, 1);
        for (const int threads : {2, 5}) {
            const auto shared = product.run(row, how, threads);
            EXPECT_EQ(std::memcmp(shared.c.data(), alone.c.data(), alone.c.size() * sizeof(Sum)), 0)
                << row.name << " " << core::describe(product.p) << " " << how.name << " with "
                << threads << " threads";
            EXPECT_EQ(shared.flags, alone.flags)
                << row.name << " " << core::describe(product.p) << " " << how.name << " with "
                << threads << " threads";
            ++executed;
        }
    }
    return executed;
}

std::vector<const rows::implementation*> available_rows() {
    std::vector<const rows::implementation*> rows;
    for (const rows::implementation* row : rows::cpu::table())
        if (row->unavailable == nullptr || row->unavailable().empty()) rows.push_back(row);
    return rows;
}

bool offers(const rows::implementation& row, dtype a, dtype c) {
    for (const core::signature& types : row.signatures)
        if (types.a == a && types.c == c) return true;
    return false;
}

TEST(float_modes, give_the_same_bits_and_exceptions_by_any_number_of_threads) {
    int executed = 0;
    for (const rows::implementation* row : available_rows())
        for (const shape& s : shapes) {
            const auto with = [&]<class T, class Sum>() {
                if (offers(*row, dtype_of_v<T>, dtype_of_v<Sum>))
                    executed += compare<T, Sum>(*row, s);
            };
            with.template operator()<double, double>();
            with.template operator()<float, float>();
            with.template operator()<f16, float>();
            with.template operator()<f16, f16>();
            with.template operator()<bf16, float>();
            with.template operator()<bf16, bf16>();
        }
    EXPECT_GE(executed, 5 * 2 * 4 * 2);
}

// Compares f32 sums with f64 sums, whose own error is some 2^-28 of that of f32.
TEST(float_modes, directed_rounding_bounds_every_sum) {
    for (const rows::implementation* row : available_rows())
        for (const shape& s : shapes) {
            if (!offers(*row, dtype::f32, dtype::f32)) continue;
            const product_of<float, float> product(s);
            for (const mode& how : modes()) {
                const double sign = how.name == "upward" ? 1 : how.name == "downward" ? -1 : 0;
                if (sign == 0) continue;
                const auto found = product.run(*row, how, 2);
                int beyond = 0;
                for (std::int64_t i = 0; i < s.m; ++i)
                    for (std::int64_t j = 0; j < s.n; ++j) {
                        double sum = 0;
                        double magnitude = 0;
                        for (std::int64_t q = 0; q < s.k; ++q) {
                            const double x =
                                double(product.a[static_cast<std::size_t>(i * s.k + q)]) *
                                double(product.b[static_cast<std::size_t>(q * s.n + j)]);
                            sum += x;
                            magnitude += std::abs(x);
                        }
                        const double c = double(found.c[static_cast<std::size_t>(i * s.n + j)]);
                        beyond += sign * (c - sum) < -0x1p-40 * magnitude ? 1 : 0;
                    }
                EXPECT_EQ(beyond, 0) << row->name << " " << core::describe(product.p) << how.name;
            }
        }
}

// Choosing kernels and padding raise no exception that the numbers do not.
TEST(float_modes, nothing_traps_where_no_number_is_exceptional) {
    if (feenableexcept(FE_INVALID) < 0) GTEST_SKIP() << "NOT TESTED: this processor never traps";
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    int executed = 0;
    for (const rows::implementation* row : available_rows())
        for (const core::signature& types : row->signatures)
            for (const shape& s : shapes)
                for (const int threads : {1, 2}) {
                    core::problem p = core::row_major_problem(types.a, s.m, s.n, s.k);
                    p.b_type = types.b;
                    p.c_type = types.c;
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
