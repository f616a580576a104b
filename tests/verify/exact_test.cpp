// The exact passes: what they expect is what multiplying gives, in every type and for every claim,
// in any order of summation; and their operands are what makes errors show.
#include "lab/verify/exact.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "core/dtype_traits.hpp"
#include "lab/verify/poison.hpp"
#include "lab/verify/source.hpp"
#include "tests/parameters.hpp"

namespace carat::verify {
namespace {

struct types {
    dtype a, b, c;
    const char* claim;
    int sum_digits;  // of the narrowest sums that the claim allows
};

void PrintTo(const types& t, std::ostream* out) {
    *out << name(t.a) << " " << name(t.c) << " " << t.claim;
}

constexpr types all_types[] = {
    {dtype::f64, dtype::f64, dtype::f64, "f64", 53},
    {dtype::f64, dtype::f64, dtype::f64, "f16", 24},
    {dtype::f32, dtype::f32, dtype::f32, "f32", 24},
    {dtype::f32, dtype::f32, dtype::f32, "tf32", 24},
    {dtype::f32, dtype::f32, dtype::f32, "3xtf32", 24},
    {dtype::f32, dtype::f32, dtype::f32, "f16", 24},
    {dtype::f16, dtype::f16, dtype::f32, "f32", 24},
    {dtype::f16, dtype::f16, dtype::f16, "f32, rounded once", 24},
    {dtype::f16, dtype::f16, dtype::f32, "f16/f32 (f16 sums of 32)", 11},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32", 24},
    {dtype::bf16, dtype::bf16, dtype::bf16, "f32, rounded once", 24},
    {dtype::e4m3, dtype::e4m3, dtype::f32, "fp8/f32 (14-bit sums of 128)", 13},
    {dtype::e4m3, dtype::e4m3, dtype::f32, "fp8/14-bit (fast accumulation)", 13},
    {dtype::e5m2, dtype::e4m3, dtype::bf16, "fp8/14-bit (fast accumulation)", 13},
    {dtype::i32, dtype::i32, dtype::i32, "i32 modulo 2^32", 32},
    {dtype::i8, dtype::i8, dtype::i32, "i32", 32},
    {dtype::u8, dtype::i8, dtype::i32, "i32", 32}};

struct shape {
    std::int64_t m, n, k;
};

constexpr shape shapes[] = {{1, 1, 1},    {5, 3, 2},     {1, 70, 300}, {70, 1, 301},
                            {100, 90, 7}, {65, 130, 64}, {3, 200, 40}, {20, 30, 5000}};

void store(dtype type, void* to, std::int64_t index, double value) {
    core::visit(type, [&]<class T>(core::element_tag<T>) {
        static_cast<T*>(to)[index] = static_cast<T>(value);
    });
}

// Cuts what lies below so many digits, as the most careless unit would at every addition.
double cut(double value, int digits) {
    if (value == 0) return 0;
    const double unit = std::ldexp(1.0, std::ilogb(value) + 1 - digits);
    return std::trunc(value / unit) * unit;
}

double rounded(double value, int digits) {
    if (value == 0) return 0;
    const double unit = std::ldexp(1.0, std::ilogb(value) + 1 - digits);
    return std::nearbyint(value / unit) * unit;
}

struct product {
    core::problem p;
    std::vector<std::byte> a, b, c;

    product(const types& t, const shape& s, bool by_columns)
        : p{.a_type = t.a,
            .b_type = t.b,
            .c_type = t.c,
            .m = s.m,
            .n = s.n,
            .k = s.k,
            .a_layout = by_columns ? core::column_major(s.m) : core::row_major(s.k),
            .b_layout = by_columns ? core::column_major(s.k) : core::row_major(s.n),
            .c_layout = core::row_major(s.n)},
          a(bytes(t.a, s.m * s.k)),
          b(bytes(t.b, s.k * s.n)),
          c(bytes(t.c, s.m * s.n)) {}

    static std::size_t bytes(dtype type, std::int64_t count) {
        return size_bytes(type) * static_cast<std::size_t>(count);
    }
    static int whole_digits(int digits);
    [[nodiscard]] core::operands operands() { return {a.data(), b.data(), c.data()}; }

    // Multiplies in a random order, with sums truncated to `digits`; those of groups of `promoted`
    // k are added up in f32. What beta C is added to has `before_c` digits, if any.
    void multiply(int digits, std::int64_t promoted, std::uint64_t seed, int before_c = 0) {
        const source left = a_source(p, operands());
        const source right = b_source(p, operands());
        std::vector<std::int64_t> order(static_cast<std::size_t>(p.k));
        for (std::int64_t q = 0; q < p.k; ++q) order[static_cast<std::size_t>(q)] = q;
        std::mt19937_64 random(seed);
        for (std::int64_t q = 0; q < p.k; q += promoted)
            std::shuffle(order.begin() + q, order.begin() + std::min(p.k, q + promoted), random);
        std::vector<double> of_a(order.size());
        for (std::int64_t i = 0; i < p.m; ++i) {
            for (std::int64_t q = 0; q < p.k; ++q)
                of_a[static_cast<std::size_t>(q)] = left.at(i, order[static_cast<std::size_t>(q)]);
            for (std::int64_t j = 0; j < p.n; ++j) {
                double sum = 0;
                double total = 0;
                for (std::int64_t q = 0; q < p.k; ++q) {
                    const auto at = static_cast<std::size_t>(q);
                    if (of_a[at] != 0) sum = cut(sum + of_a[at] * right.at(order[at], j), digits);
                    if (q % promoted != promoted - 1) continue;
                    total = promoted < p.k ? cut(total + sum, 24) : sum;
                    sum = 0;
                }
                double result = cut(p.alpha * (total + sum), whole_digits(digits));
                if (before_c > 0) result = rounded(result, before_c);
                if (p.beta != 0)
                    result =
                        cut(result + p.beta * c_source(p, c.data()).at(i, j), whole_digits(digits));
                store(p.c_type, c.data(), i * p.n + j, result);
            }
        }
    }
};

// Factors come after all sums, in what narrow ones are added up in.
int product::whole_digits(int digits) {
    return digits == 11 || digits == 13 ? 24 : digits;
}

class exact_passes : public testing::TestWithParam<types> {};

TEST_P(exact_passes, hold_for_honest_sums_in_any_order) {
    const types t = GetParam();
    const std::string_view claim(t.claim);
    std::uint64_t seed = 0;
    for (const shape& s : shapes)
        for (const exact_kind kind : {exact_kind::sums, exact_kind::significands})
            for (const bool by_columns : {false, true}) {
                product made(t, s, by_columns);
                const exact_pass pass(made.p, t.claim, kind, ++seed, 1);
                pass.fill(made.a.data(), made.b.data());
                const std::int64_t promoted = claim.starts_with("fp8/f32")   ? 128
                                              : claim.starts_with("f16/f32") ? 32
                                                                             : s.k;
                made.multiply(t.sum_digits, promoted, seed);
                const verdict v = pass.check(made.c.data());
                EXPECT_TRUE(v.passed) << t.claim << " " << core::describe(made.p) << " "
                                      << name(kind) << " seed " << seed << ": " << v.reason;
                EXPECT_EQ(v.how, method::exact);
            }
}

TEST_P(exact_passes, hold_with_factors_and_see_those_that_are_wrong) {
    const types t = GetParam();
    std::uint64_t seed = 100;
    for (const auto& [alpha, beta] : {std::pair{1.0, 1.0}, {-1.0, 2.0}, {0.25, -4.0}, {3.0, 0.0}})
        for (const shape& s : shapes)
            for (const exact_kind kind : {exact_kind::sums, exact_kind::significands}) {
                if (s.k > 1000 && beta != 1) continue;  // it takes a second
                product made(t, s, false);
                made.p.alpha = is_integer(t.c) && alpha == 0.25 ? 4 : alpha;
                made.p.beta = beta;
                const std::string_view claim(t.claim);
                const std::int64_t promoted = claim.starts_with("fp8/f32")   ? 128
                                              : claim.starts_with("f16/f32") ? 32
                                                                             : s.k;
                const exact_pass pass(made.p, t.claim, kind, ++seed, 1);
                pass.fill(made.a.data(), made.b.data());
                pass.fill_c(made.c.data());
                made.multiply(t.sum_digits, promoted, seed);
                const verdict v = pass.check(made.c.data());
                EXPECT_TRUE(v.passed)
                    << t.claim << " " << core::describe(made.p) << " alpha " << alpha << " beta "
                    << beta << " " << name(kind) << " seed " << seed << ": " << v.reason;
                // Omits the C that was there, adds it once too often, or adds one with a digit
                // less.
                made.p.beta = beta == 0 ? 1 : 0;
                pass.fill_c(made.c.data());
                made.multiply(t.sum_digits, promoted, seed);
                EXPECT_FALSE(pass.check(made.c.data()).passed)
                    << t.claim << " beta " << beta << " taken for " << made.p.beta;
            }
}

TEST_P(exact_passes, see_a_change_of_the_least_bit_in_any_entry) {
    const types t = GetParam();
    for (const exact_kind kind : {exact_kind::sums, exact_kind::significands}) {
        product made(t, {70, 40, 100}, false);
        const exact_pass pass(made.p, t.claim, kind, 5, 1);
        pass.fill(made.a.data(), made.b.data());
        made.multiply(53, 100, 1);
        ASSERT_TRUE(pass.check(made.c.data()).passed);
        for (const std::int64_t entry : {0, 69 * 40 + 39, 33 * 40 + 2}) {
            const auto at = static_cast<std::size_t>(entry) * size_bytes(t.c);
            made.c[at] ^= std::byte{1};
            const verdict v = pass.check(made.c.data());
            EXPECT_FALSE(v.passed) << t.claim << " " << name(kind);
            EXPECT_EQ(v.wrong, 1);
            EXPECT_EQ(v.row * 40 + v.col, entry);
            made.c[at] ^= std::byte{1};
        }
    }
}

TEST_P(exact_passes, use_every_k_of_a_and_of_b) {
    const types t = GetParam();
    for (const exact_kind kind : {exact_kind::sums, exact_kind::significands}) {
        product made(t, {40, 30, 700}, false);
        exact_pass(made.p, t.claim, kind, 9, 1).fill(made.a.data(), made.b.data());
        const source a = a_source(made.p, made.operands());
        const source b = b_source(made.p, made.operands());
        for (std::int64_t k = 0; k < made.p.k; ++k) {
            bool a_used = false;
            bool b_used = false;
            for (std::int64_t i = 0; i < made.p.m; ++i) a_used |= a.at(i, k) != 0;
            for (std::int64_t j = 0; j < made.p.n; ++j) b_used |= b.at(k, j) != 0;
            EXPECT_TRUE(a_used && b_used) << t.claim << " " << name(kind) << " k " << k;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(types, exact_passes, testing::ValuesIn(all_types), test::as_printed);

// Every element of a full significand ends in a one: whatever is narrower changes it.
TEST(significands, use_every_bit_of_a_claim) {
    struct expectation {
        dtype type;
        const char* claim;
        int digits;
    };
    // One less where C holds the sum of two: 52 of 53, 23 of 24.
    for (const expectation& e :
         {expectation{dtype::f64, "f64", 52}, expectation{dtype::f32, "f32", 23},
          expectation{dtype::f32, "3xtf32", 22}, expectation{dtype::f32, "tf32", 11}}) {
        const core::problem p = core::row_major_problem(e.type, 300, 300, 300);
        const exact_pass pass(p, e.claim, exact_kind::significands, 1);
        EXPECT_EQ(pass.rows().digits, e.digits) << e.claim;
        EXPECT_EQ(pass.cols().digits, e.digits) << e.claim;
    }
}

TEST(sums, have_numbers_that_tf32_cannot_hold_at_16384) {
    const core::problem p = core::row_major_problem(dtype::f32, 16384, 16384, 16384);
    const exact_pass pass(p, "f32", exact_kind::sums, 1);
    EXPECT_EQ(pass.rows().wide_digits, 12);
    EXPECT_LE(pass.rows().wide_stride, wide_bases);
    EXPECT_GE(pass.rows().most, 3);
    EXPECT_FALSE(pass.rows().random_signs);
}

TEST(sums, of_narrow_claims_stay_below_two_to_the_13) {
    core::problem p = core::row_major_problem(dtype::e4m3, 64, 64, 1 << 20);
    p.c_type = dtype::f32;
    const exact_pass pass(p, "fp8/14-bit", exact_kind::sums, 1);
    EXPECT_EQ(pass.rows().most, 1);
    EXPECT_LE((p.k + pass.rows().stride - 1) / pass.rows().stride, 1 << 13);
}

TEST(exact, refuses_factors_that_round) {
    core::problem p = core::row_major_problem(dtype::f64, 4, 4, 4);
    p.alpha = 0.1;
    EXPECT_ANY_THROW(exact_pass(p, "f64", exact_kind::sums, 1));
    EXPECT_EQ(reason_against_exact(1, -0.75, dtype::f16), "");
    EXPECT_EQ(reason_against_exact(1, 0.3, dtype::f16),
              "alpha is 1 and beta is 0.3: results are checked exactly with multiples of 0.25 "
              "from -4 to 4");
    EXPECT_NE(reason_against_exact(0.5, 1, dtype::i32).find("whole numbers"), std::string::npos);
}

// What an epilogue in f32 gives is accepted, and nothing else: another activation, no bias, a wrong
// column's bias, a wrong sum.
TEST(exact, knows_epilogues_to_within_their_own_roundings) {
    using rows::activation;
    for (const activation f :
         {activation::none, activation::relu, activation::gelu, activation::silu})
        for (const bool has_bias : {false, true})
            for (const exact_kind kind : {exact_kind::sums, exact_kind::significands}) {
                const types t{dtype::bf16, dtype::bf16, dtype::f32, "f32", 24};
                product made(t, {40, 30, 50}, false);
                const exact_pass pass(made.p, t.claim, kind, 3, 1, {has_bias, f});
                pass.fill(made.a.data(), made.b.data());
                const auto finish = [&](activation how, std::int64_t turned, bool with_bias) {
                    made.multiply(24, 50, 1);
                    auto* c = reinterpret_cast<float*>(made.c.data());
                    for (std::int64_t at = 0; at < 40 * 30; ++at) {
                        const std::int64_t j = (at + turned) % 30;
                        float x = c[at];
                        if (with_bias) x += static_cast<float>(pass.bias(j));
                        const float y =
                            how == activation::gelu ? x * (1.5957691F + 0.07135481F * x * x) : x;
                        if (how == activation::relu) x = std::max(x, 0.0F);
                        if (how > activation::relu) x = x / (1 + std::exp(-y));
                        c[at] = x;
                    }
                    return pass.check(made.c.data());
                };
                const std::string told = std::string(rows::name(f)) + (has_bias ? " bias " : " ") +
                                         std::string(name(kind));
                EXPECT_TRUE(finish(f, 0, has_bias).passed)
                    << told << ": " << finish(f, 0, has_bias).reason;
                const activation other =
                    f == activation::relu ? activation::none : activation::relu;
                // Far from 0 activations are alike.
                if (f < activation::gelu || kind == exact_kind::significands) {
                    EXPECT_FALSE(finish(other, 0, has_bias).passed) << told;
                }
                if (has_bias) {
                    EXPECT_FALSE(finish(f, 1, true).passed) << told;
                    EXPECT_FALSE(finish(f, 0, false).passed) << told;
                }
                if (f == activation::gelu && kind == exact_kind::significands) {
                    EXPECT_FALSE(finish(activation::silu, 0, has_bias).passed) << told;
                }
            }
}

// A C that is read as something narrower than it is shows.
TEST(exact, has_all_digits_in_a_c_that_is_read) {
    core::problem p = core::row_major_problem(dtype::f32, 60, 60, 60);
    p.beta = 1;
    const exact_pass pass(p, "f32", exact_kind::sums, 1);
    EXPECT_EQ(pass.with().digits, 23);
    p.a_type = p.b_type = p.c_type = dtype::f64;
    EXPECT_EQ(exact_pass(p, "f64", exact_kind::sums, 1).with().digits, 52);
}

// Rounds like cuBLAS: to C's 8 digits and no fewer.
TEST(exact, lets_a_product_be_rounded_to_cs_type_before_c_is_added) {
    const types bf16_c{dtype::bf16, dtype::bf16, dtype::bf16, "f32, rounded once", 24};
    product made(bf16_c, {100, 130, 700}, false);
    made.p.beta = 1;
    const exact_pass pass(made.p, bf16_c.claim, exact_kind::sums, 1, 1);
    pass.fill(made.a.data(), made.b.data());
    const auto passes = [&](int before_c) {
        pass.fill_c(made.c.data());
        made.multiply(24, made.p.k, 1, before_c);
        return pass.check(made.c.data()).passed;
    };
    EXPECT_TRUE(passes(0));
    const std::vector<std::byte> rounded_once = made.c;
    EXPECT_TRUE(passes(8));
    EXPECT_NE(made.c, rounded_once);
    EXPECT_FALSE(passes(7));
}

TEST(padding, that_was_overwritten_is_named) {
    for (const bool by_rows : {true, false}) {
        core::problem p = core::row_major_problem(dtype::f32, 5, 4, 3);
        p.c_layout = by_rows ? core::row_major(4 + 3) : core::column_major(5 + 3);
        const std::int64_t length = by_rows ? 4 : 5;
        std::vector<float> a(15), b(12), c(64);
        const exact_pass pass(p, "f32", exact_kind::sums, 1, 1);
        pass.fill(a.data(), b.data());
        poison(p, c.data());
        for (std::int64_t i = 0; i < 5; ++i)
            for (std::int64_t j = 0; j < 4; ++j) {
                float sum = 0;
                for (std::int64_t k = 0; k < 3; ++k)
                    sum += a[static_cast<std::size_t>(i * 3 + k)] *
                           b[static_cast<std::size_t>(k * 4 + j)];
                c[static_cast<std::size_t>(i * p.c_layout.row_stride + j * p.c_layout.col_stride)] =
                    sum;
            }
        EXPECT_TRUE(pass.check(c.data()).passed);
        EXPECT_TRUE(check_padding(p, c.data()).passed);
        c[static_cast<std::size_t>(length + 3 + length + 1)] = 0;
        const verdict v = check_padding(p, c.data());
        EXPECT_FALSE(v.passed);
        EXPECT_EQ(v.reason, "element 1 after line 1 of C was overwritten: it is padding");
    }
}

}  // namespace
}  // namespace carat::verify
