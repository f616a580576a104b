// Every planted flaw is caught, by both methods, in every type in which it can exist.
#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "trial.hpp"

namespace carat::verify {
namespace {

constexpr std::int64_t n = 61;  // square, so that a transposed B still fits; no multiple of 8
constexpr std::int64_t k = n;

template <class T>
using planted = std::function<std::vector<T>(trial<T>&)>;

template <class T>
struct flaw {
    const char* name;
    planted<T> compute;
    double alpha = 1;
    double beta = 0;
    const char* says = "C(";  // part of the reason by the componentwise method
};

template <class T>
std::vector<T> poisoned(const trial<T>& t) {
    std::vector<T> c(t.initial.size());
    poison(t.p, c.data());
    return c;
}

template <class T>
std::vector<T> transposed_b(trial<T>& t) {
    trial<T> other = t;
    for (std::int64_t q = 0; q < k; ++q)
        for (std::int64_t j = 0; j < n; ++j) other.b[other.index(q, j)] = t.at_b(j, q);
    return multiply(other);
}

template <class T>
std::vector<T> skipped_last_tile(trial<T>& t) {
    std::vector<T> c = poisoned(t);
    const std::vector<T> right = multiply(t);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (i < 48 || j < 48) c[t.index(i, j)] = right[t.index(i, j)];
    return c;
}

template <class T>
std::vector<T> missed_tail(trial<T>& t) {
    trial<T> shorter = t;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t q = k / 8 * 8; q < k; ++q) shorter.a[t.index(i, q)] = 0;
    return multiply(shorter);
}

template <class T>
std::vector<T> missed_last_step(trial<T>& t) {
    trial<T> shorter = t;
    for (std::int64_t i = 0; i < n; ++i) shorter.a[t.index(i, k - 1)] = 0;
    return multiply(shorter);
}

template <class T>
std::vector<T> beta_twice(trial<T>& t) {
    trial<T> other = t;
    other.p.beta *= t.p.beta;
    return multiply(other);
}

template <class T>
std::vector<T> beta_ignored(trial<T>& t) {
    trial<T> other = t;
    other.p.beta = 0;
    return multiply(other);
}

template <class T>
std::vector<T> alpha_ignored(trial<T>& t) {
    trial<T> other = t;
    other.p.alpha = 1;
    return multiply(other);
}

template <class T>
std::vector<T> rows_exchanged(trial<T>& t) {
    std::vector<T> c = multiply(t);
    std::swap_ranges(c.begin() + 20 * n, c.begin() + 21 * n, c.begin() + 30 * n);
    return c;
}

template <class T>
std::vector<T> nan_leak(trial<T>& t) {
    std::vector<T> c = multiply(t);
    c[t.index(n - 2, n - 2)] = std::numeric_limits<T>::quiet_NaN();
    return c;
}

template <class T>
std::vector<T> infinity_leak(trial<T>& t) {
    std::vector<T> c = multiply(t);
    c[t.index(5, 7)] = std::numeric_limits<T>::infinity();
    return c;
}

template <class T>
std::vector<flaw<T>> common_flaws() {
    return {{"transposed B", transposed_b<T>},
            {"skipped last tile", skipped_last_tile<T>, 1, 0, "was never written"},
            {"unwritten C", poisoned<T>, 1, 0, "was never written"},
            {"missed k tail", missed_tail<T>},
            {"missed last k step", missed_last_step<T>},
            {"beta applied twice", beta_twice<T>, 2, 3},
            {"beta ignored", beta_ignored<T>, 1, 1},
            {"alpha ignored", alpha_ignored<T>, -1, 0},
            {"two rows exchanged", rows_exchanged<T>}};
}

// Whole numbers times 2^-7, two of them off the grid of a coarser format: any rounding shows.
template <class T>
std::vector<T> inputs_rounded(trial<T>& t, int bits) {
    trial<T> coarse = t;
    for (auto* side : {&coarse.a, &coarse.b})
        for (T& x : *side) {
            const T scale = std::ldexp(T{1}, bits - 1 - (x == 0 ? 0 : std::ilogb(x)));
            x = std::nearbyint(x * scale) / scale;
        }
    return multiply(coarse);
}

template <class T>
std::vector<flaw<T>> flaws() {
    std::vector<flaw<T>> all = common_flaws<T>();
    if constexpr (std::is_floating_point_v<T>) {
        all.push_back({"NaN leak", nan_leak<T>, 1, 0, "C(59, 59) is nan"});
        all.push_back({"Inf leak", infinity_leak<T>, 1, 0, "C(5, 7) is inf"});
        all.push_back({"tf32 inputs", [](trial<T>& t) { return inputs_rounded(t, 11); }});
        all.push_back({"bf16 inputs", [](trial<T>& t) { return inputs_rounded(t, 8); }});
    }
    if constexpr (std::is_same_v<T, double>) {
        all.push_back({"float accumulation", [](trial<T>& t) { return multiply<T, float>(t); }});
        all.push_back({"float inputs", [](trial<T>& t) { return inputs_rounded(t, 24); }});
    }
    return all;
}

template <class T>
class Flaws : public testing::Test {};
using types = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(Flaws, types);

TYPED_TEST(Flaws, AreCaughtByBothMethods) {
    using T = TypeParam;
    std::vector<workload::distribution> data = {workload::integers(-900, 900)};
    if (std::is_floating_point_v<T>)
        data = {workload::uniform(2, 5), workload::normal(0, 1), workload::ill_conditioned(2)};
    int caught = 0;
    for (const workload::distribution& d : data)
        for (const flaw<T>& planted : flaws<T>()) {
            trial<T> t(n, n, k, d, planted.alpha, planted.beta);
            const std::vector<T> right = multiply(t);
            const std::vector<T> wrong = planted.compute(t);
            for (const double budget : {1e9, 0.0}) {
                options how;
                how.componentwise_madds = budget;
                const reference r = t.reference(how);
                const verdict v = r.check(wrong.data());
                SCOPED_TRACE(std::string(planted.name) + " by " + std::string(name(v.how)) +
                             " on " + workload::to_string(d));
                EXPECT_FALSE(v.passed);
                EXPECT_GT(v.wrong, 0);
                EXPECT_GT(v.error_ulp, v.bound_ulp);
                EXPECT_EQ(v.reason.find('\n'), std::string::npos);
                const bool said = v.reason.find(planted.says) != std::string::npos;
                EXPECT_TRUE(said || budget == 0) << v.reason;
                const verdict honest = r.check(right.data());
                EXPECT_TRUE(honest.passed) << honest.reason;
                caught += v.passed ? 0 : 1;
            }
        }
    EXPECT_EQ(caught, static_cast<int>(2 * data.size() * flaws<T>().size()));
}

// No order of summation rounds whole numbers, so one unit in the last place of any entry is an
// error. Freivalds' whole rows and columns cover at most a tenth of the entries; the random vectors
// find the rest.
TYPED_TEST(Flaws, OneEntryOffByOneUlpAnywhere) {
    using T = TypeParam;
    for (const double budget : {1e9, 0.0}) {
        trial<T> t(97, 83, 40, workload::integers(-8, 8));
        options how;
        how.componentwise_madds = budget;
        const reference r = t.reference(how);
        std::vector<T> c = multiply(t);
        int caught = 0;
        for (std::int64_t i = 0; i < 97; i += 3)
            for (std::int64_t j = 0; j < 83; j += 2) {
                T& entry = c[t.index(i, j)];
                const T kept = entry;
                if constexpr (std::is_integral_v<T>)
                    entry += 1;
                else
                    entry = entry == 0 ? T{1} : std::nextafter(entry, T{1e9});
                const verdict v = r.check(c.data());
                const bool measured =
                    budget == 0 || v.max_abs_error == std::abs(double(entry) - double(kept));
                if (!v.passed && v.row == i && (v.col == j || v.col == -1) && measured) ++caught;
                entry = kept;
            }
        EXPECT_EQ(caught, 33 * 42) << name(r.how());
        EXPECT_TRUE(r.check(c.data()).passed);
    }
}

// Modulo 2^32 the differences 2^31 and 2^31 in one row cancel for any signs.
TEST(FlawsOfIntegers, TwoHalfTurnsInOneRow) {
    trial<std::int32_t> t(97, 83, 40, workload::integers(-8, 8));
    options how;
    how.componentwise_madds = 0;
    std::vector<std::int32_t> c = multiply(t);
    for (const std::int64_t j : {31, 47})
        c[t.index(50, j)] ^= std::numeric_limits<std::int32_t>::min();
    EXPECT_FALSE(t.reference(how).check(c.data()).passed);
}

// Errors that cancel in the sum of their row, at places that no whole row or column covers.
TEST(FlawsOfReals, OppositeErrorsInOneRow) {
    trial<double> t(97, 83, 40, workload::integers(-8, 8));
    options how;
    how.componentwise_madds = 0;
    const reference r = t.reference(how);
    int caught = 0;
    for (std::int64_t i = 1; i < 96; ++i) {
        std::vector<double> c = multiply(t);
        c[t.index(i, 31)] += 1;
        c[t.index(i, 47)] -= 1;
        caught += r.check(c.data()).passed ? 0 : 1;
    }
    EXPECT_EQ(caught, 95);
}

// Real data: an entry just beyond its bound is caught, one just within is not.
TEST(FlawsOfReals, TheBoundIsWhereItSaysItIs) {
    trial<double> t(40, 50, 60, workload::uniform(2, 5));
    const reference r = t.reference();
    std::vector<double> c = multiply(t, order::pairwise);
    double magnitude = 0;
    for (std::int64_t q = 0; q < 60; ++q) magnitude += t.at_a(33, q) * t.at_b(q, 44);
    double& entry = c[t.index(33, 44)];
    const double right = entry;
    entry = right + 70 * 0x1p-53 * magnitude;
    const verdict caught = r.check(c.data());
    EXPECT_FALSE(caught.passed);
    EXPECT_EQ(caught.row, 33);
    EXPECT_EQ(caught.col, 44);
    EXPECT_NEAR(caught.error_ulp, 70, 2);
    EXPECT_NEAR(caught.bound_ulp, 62, 0.001);
    entry = right + 55 * 0x1p-53 * magnitude;
    EXPECT_TRUE(r.check(c.data()).passed);
}

// Too small for the random vectors, whose rows allow n times as much: the whole rows and columns
// find it where edges are.
TEST(FlawsOfReals, EdgesAreCheckedEntryByEntry) {
    trial<double> t(40, 50, 60, workload::uniform(2, 5));
    options how;
    how.componentwise_madds = 0;
    const reference r = t.reference(how);
    std::vector<double> c = multiply(t, order::pairwise);
    EXPECT_TRUE(r.check(c.data()).passed);
    for (const auto& [i, j] : {std::array<std::int64_t, 2>{0, 44}, {39, 44}, {33, 0}, {33, 49}}) {
        double& entry = c[t.index(i, j)];
        const double right = entry;
        entry *= 1 + 130 * 0x1p-53;
        const verdict v = r.check(c.data());
        EXPECT_FALSE(v.passed);
        EXPECT_EQ(v.row, i);
        EXPECT_EQ(v.col, j);
        entry = right;
    }
}

// Adding zeros is exact: with one term in each sum, three roundings are all there can be.
TEST(FlawsOfReals, ZerosDoNotWidenTheBound) {
    trial<float> t(64, 64, 64, workload::normal(0, 1));
    for (std::int64_t i = 0; i < 64; ++i)
        for (std::int64_t q = 0; q < 64; ++q)
            if (i != q) t.a[t.index(i, q)] = 0;
    std::vector<float> c = multiply(t);
    EXPECT_TRUE(t.reference().check(c.data()).passed);
    c[t.index(5, 60)] *= 1 + 10 * 0x1p-24F;
    EXPECT_FALSE(t.reference().check(c.data()).passed);
}

// I B must be B: an input rounded away shows although it is far below k ulp.
TEST(FlawsOfReals, IdentityFindsTf32) {
    trial<float> t(64, 64, 64, workload::zeros());
    for (std::int64_t i = 0; i < 64; ++i) t.a[t.index(i, i)] = 1 + 0x1p-20F;
    for (float& x : t.b) x = 1;
    std::vector<float> c = multiply(t);
    EXPECT_TRUE(t.reference().check(c.data()).passed);
    std::ranges::fill(c, 1.0F);
    EXPECT_FALSE(t.reference().check(c.data()).passed);
    EXPECT_TRUE(t.reference().check(c.data(), "tf32").passed) << "unless tf32 is what it claims";
}

// 2^13 ones: a sum kept in f16 stops at 2^11.
template <class T>
void expect_half_accumulation_caught() {
    trial<T> t(3, 3, 1 << 13, workload::zeros());
    std::ranges::fill(t.a, T{1});
    std::ranges::fill(t.b, T{1});
    f16 sum{0.0};
    for (int q = 0; q < 1 << 13; ++q) sum = f16{static_cast<double>(sum) + 1};
    const std::vector<T> c(9, static_cast<T>(static_cast<double>(sum)));
    EXPECT_EQ(c[0], 2048);
    for (const double budget : {1e9, 0.0}) {
        options how;
        how.componentwise_madds = budget;
        EXPECT_FALSE(t.reference(how).check(c.data()).passed);
        EXPECT_TRUE(t.reference(how).check(multiply(t).data()).passed);
    }
}

TEST(FlawsOfReals, HalfAccumulation) {
    expect_half_accumulation_caught<double>();
    expect_half_accumulation_caught<float>();
}

}  // namespace
}  // namespace carat::verify
