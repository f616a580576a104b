// The reference itself: its accuracy against exact answers, its layouts, levels, errors, progress;
// poison.
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include <carat/error.hpp>

#include "core/isa.hpp"
#include "lab/verify/accumulate.hpp"
#include "trial.hpp"

namespace carat::verify {
namespace {

// Sums that cancel 53 bits and more, whose exact value is known: 1e16 + small - 1e16, and with
// products of full mantissas, p - fl(p) by itself.
TEST(Reference, KeepsWhatCancels) {
    trial<double> t(1, 1, 3, workload::zeros());
    t.a = {1e16, 1.25, -1e16};
    t.b = {1, 1, 1};
    const double kept = 1.25;
    const verdict v = t.reference().check(&kept);
    EXPECT_TRUE(v.passed);
    EXPECT_EQ(v.error_ulp, 0);

    trial<double> u(1, 1, 2, workload::zeros());
    const double x = 1 + 0x1p-30;
    u.a = {x, -(1 + 0x1p-29)};
    u.b = {x, 1};
    const double square_error = 0x1p-60;
    EXPECT_EQ(u.reference().check(&square_error).error_ulp, 0);
    const double lost = 0;
    EXPECT_GT(u.reference().check(&lost).error_ulp, 0);
}

// Exact answers in 128-bit integers: full 53-bit mantissas, 600 terms of both signs.
TEST(Reference, IsExactFarBeyondDouble) {
    constexpr std::int64_t k = 600;
    trial<double> t(4, 5, k, workload::integers(-0x1p49, 0x1p49));
    std::vector<double> rounded(20);
    __extension__ using wide = __int128;
    for (std::int64_t i = 0; i < 4; ++i)
        for (std::int64_t j = 0; j < 5; ++j) {
            wide sum = 0;
            for (std::int64_t q = 0; q < k; ++q)
                sum += static_cast<wide>(t.at_a(i, q)) * static_cast<wide>(t.at_b(q, j));
            rounded[t.index(i, j)] = static_cast<double>(sum);
        }
    const verdict v = t.reference().check(rounded.data());
    EXPECT_TRUE(v.passed);
    // Half an ulp of C is all that is left, and |C| is far below |A||B|.
    EXPECT_LT(v.error_ulp, 0.2);
    EXPECT_GT(v.error_ulp, 0);
}

struct level {
    core::isa isa;
    accumulate_function* twofold;
    accumulate_function* plain;
};

// high + low must be the exact sum whatever the level: compared in whole numbers of 107 bits.
TEST(Reference, EveryLevelSumsAlike) {
    std::vector<level> levels = {{core::isa::baseline, baseline::twofold, baseline::plain}};
#if defined(__x86_64__)
    levels.push_back({core::isa::avx2, avx2::twofold, avx2::plain});
    levels.push_back({core::isa::avx512, avx512::twofold, avx512::plain});
#endif
    trial<double> t(1, block_cols, block_depth, workload::integers(-0x1p50, 0x1p50));
    __extension__ using wide = __int128;
    int compared = 0;
    for (const level& l : levels) {
        if (!core::has(l.isa)) continue;
        std::vector<double> high(block_cols);
        std::vector<double> low(block_cols);
        std::vector<double> absolute(block_cols);
        std::vector<double> plain(block_cols);
        std::vector<double> scrap(block_cols);
        l.twofold(t.a.data(), t.b.data(), block_depth, block_cols,
                  {high.data(), low.data(), absolute.data()});
        l.plain(t.a.data(), t.b.data(), block_depth, block_cols,
                {plain.data(), nullptr, scrap.data()});
        for (std::size_t j = 0; j < block_cols; ++j, ++compared) {
            wide sum = 0;
            double magnitude = 0;
            for (std::int64_t q = 0; q < block_depth; ++q) {
                const double b = t.at_b(q, static_cast<std::int64_t>(j));
                sum += static_cast<wide>(t.at_a(0, q)) * static_cast<wide>(b);
                magnitude += std::abs(t.at_a(0, q) * b);
            }
            EXPECT_EQ(
                static_cast<double>(sum - static_cast<wide>(high[j]) - static_cast<wide>(low[j])),
                0)
                << name(l.isa) << " column " << j;
            EXPECT_NEAR(absolute[j] / magnitude, 1, 1e-14);
            EXPECT_NEAR(scrap[j] / magnitude, 1, 1e-14);
            EXPECT_NEAR((plain[j] - high[j]) / magnitude, 0, 1e-14);
        }
    }
    const auto here = std::ranges::count_if(levels, core::has, &level::isa);
    EXPECT_EQ(compared, block_cols * here);
    EXPECT_GE(here, core::has(core::isa::avx512) ? 3 : 1);
}

TEST(Reference, FollowsLayouts) {
    trial<double> t(21, 34, 13, workload::normal(0, 1), 2, 3);
    const std::vector<double> c = multiply(t);
    core::problem p = t.p;
    p.a_layout = {1, 30};
    p.b_layout = {40, 1};
    p.c_layout = {2, 50};
    std::vector<double> a(600), b(600), initial(2000), result(2000);
    for (std::int64_t i = 0; i < 21; ++i)
        for (std::int64_t q = 0; q < 13; ++q)
            a[static_cast<std::size_t>(i + q * 30)] = t.at_a(i, q);
    for (std::int64_t q = 0; q < 13; ++q)
        for (std::int64_t j = 0; j < 34; ++j)
            b[static_cast<std::size_t>(q * 40 + j)] = t.at_b(q, j);
    for (std::int64_t i = 0; i < 21; ++i)
        for (std::int64_t j = 0; j < 34; ++j) {
            initial[static_cast<std::size_t>(i * 2 + j * 50)] = t.initial[t.index(i, j)];
            result[static_cast<std::size_t>(i * 2 + j * 50)] = c[t.index(i, j)];
        }
    for (const double budget : {1e9, 0.0}) {
        options how;
        how.componentwise_madds = budget;
        const reference r(p, {a.data(), b.data(), initial.data()}, how);
        EXPECT_TRUE(r.check(result.data()).passed);
        result[2 * 20 + 50 * 33] += 1e-9;
        EXPECT_FALSE(r.check(result.data()).passed);
        result[2 * 20 + 50 * 33] -= 1e-9;
    }
}

TEST(Reference, VerdictDoesNotDependOnThreads) {
    trial<float> t(150, 140, 90, workload::uniform(2, 5));
    std::vector<float> c = multiply(t);
    c[t.index(77, 99)] += 1;
    c[t.index(140, 3)] += 1;
    options one, three;
    one.threads = 1;
    three.threads = 3;
    const verdict v = t.reference(one).check(c.data());
    const verdict w = t.reference(three).check(c.data());
    EXPECT_EQ(v.reason, w.reason);
    EXPECT_EQ(v.wrong, 2);
    EXPECT_EQ(w.wrong, 2);
}

TEST(Reference, EmptyProductsPass) {
    int checks = 0;
    for (const std::int64_t m : {0, 1, 2})
        for (const std::int64_t n : {0, 1, 2})
            for (const std::int64_t k : {0, 1, 2}) {
                trial<double> t(m, n, k, workload::uniform(1, 2), 1, 2);
                EXPECT_TRUE(t.reference().check(multiply(t).data()).passed);
                ++checks;
            }
    EXPECT_EQ(checks, 27);
}

TEST(Reference, RefusesWhatItCannotCheck) {
    trial<std::int32_t> t(2, 2, 2, workload::integers(0, 3), 2.5, 0);
    EXPECT_THROW(static_cast<void>(t.reference()), error);
    trial<double> u(2, 2, 2, workload::uniform(0, 1), nan(""), 0);
    EXPECT_THROW(static_cast<void>(u.reference()), error);
    trial<double> v(2, 2, 2, workload::uniform(0, 1));
    const std::vector<double> c = multiply(v);
    EXPECT_THROW(static_cast<void>(v.reference().check(c.data(), "f99")), error);
    EXPECT_THROW(static_cast<void>(v.reference().check(c.data(), "i32")), error);
    EXPECT_TRUE(v.reference().check(c.data(), "f64, summed in pairs").passed);
}

TEST(Reference, TellsItsProgressAndStops) {
    trial<double> t(400, 400, 400, workload::uniform(0, 1));
    const auto owner = std::this_thread::get_id();
    std::vector<double> told;
    options how;
    how.threads = 2;
    how.progress = [&](double fraction) {
        EXPECT_EQ(std::this_thread::get_id(), owner);
        told.push_back(fraction);
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        return true;
    };
    // The meter speaks every 20 ms at most; a slow reader keeps it talking.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(t.reference(how));
    EXPECT_TRUE(std::ranges::is_sorted(told));
    for (const double fraction : told) EXPECT_TRUE(fraction > 0 && fraction <= 1) << fraction;

    trial<double> large(1500, 700, 700, workload::uniform(0, 1));
    how.threads = 1;
    how.progress = [](double) { return false; };
    EXPECT_THROW(static_cast<void>(large.reference(how)), cancelled);
}

// Rounds as cuBLAS does for a narrow C; an entry with a larger error is wrong.
TEST(Reference, LetsAProductBeRoundedBeforeCIsAdded) {
    trial<bf16> t(9, 11, 700, workload::uniform(0, 1), 1, 1);
    const verify::reference r = t.reference();
    const auto passes = [&](double added) {
        std::vector<bf16> c(t.initial.size());
        for (std::int64_t i = 0; i < t.p.m; ++i)
            for (std::int64_t j = 0; j < t.p.n; ++j) {
                double sum = 0;
                for (std::int64_t q = 0; q < t.p.k; ++q)
                    sum += static_cast<double>(t.at_a(i, q)) * static_cast<double>(t.at_b(q, j));
                const std::size_t at = t.index(i, j);
                c[at] = bf16(static_cast<double>(bf16(sum)) + static_cast<double>(t.initial[at]) +
                             added);
            }
        return r.check(c.data(), "f32, rounded once").passed;
    };
    EXPECT_TRUE(passes(0));
    EXPECT_FALSE(passes(2));
}

TEST(Poison, IsFoundInEveryType) {
    int found = 0;
    for (const dtype type :
         {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i32, dtype::i8}) {
        core::problem p = core::row_major_problem(type, 3, 4, 5);
        if (type == dtype::i8) p.c_type = dtype::i32;
        std::vector<unsigned char> ones(3 * 4 * 5 * 8), c(12 * 8);
        workload::fill(ones.data(), type, 5, 5, core::row_major(5), workload::integers(1, 1), 1,
                       workload::operand::a);
        poison(p, c.data());
        const verdict v = reference(p, {ones.data(), ones.data(), nullptr}).check(c.data());
        EXPECT_FALSE(v.passed);
        EXPECT_EQ(v.wrong, 12);
        found += v.reason.find("never written") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(found, 6);
}

TEST(BytesNeeded, CoverWhatIsKept) {
    const core::problem p = core::row_major_problem(dtype::f64, 1000, 1000, 1000);
    EXPECT_GE(bytes_needed(p), 1000 * 1008 * 24);
    EXPECT_LT(bytes_needed(p), 1000 * 1100 * 24);
    options sampled;
    sampled.componentwise_madds = 0;
    EXPECT_LT(bytes_needed(p, sampled), bytes_needed(p));
}

}  // namespace
}  // namespace carat::verify
