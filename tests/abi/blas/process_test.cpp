// Many callers at once, callers inside parallel regions, and processes that fork after threads have
// multiplied.
#include <cstdlib>
#include <gtest/gtest.h>
#include <omp.h>
#include <string>
#include <thread>

#include "stored.hpp"
#include "tests/core/child.hpp"

namespace carat::blas::tested {

namespace {

using test::in_child;

// One of many different calls, by number; the result is a fresh matrix.
std::vector<double> result_of(std::size_t which) {
    std::mt19937 random(static_cast<unsigned>(which));
    const std::size_t m = 1 + which * 37 % 190;
    const std::size_t n = 1 + which * 53 % 210;
    const std::size_t order = which % 2 == 0 ? m : n;
    const char side = which % 2 == 0 ? 'L' : 'R';
    const char uplo = which % 3 == 0 ? 'U' : 'L';
    stored<double> a(language::fortran, order, order, 0);
    stored<double> b(language::fortran, m, n, 0);
    stored<double> c(language::fortran, m, n, 0);
    a.fill(random);
    b.fill(random);
    c.fill(random);
    for (std::size_t i = 0; i < order; ++i) a(i, i) += 50;
    const auto im = integer(m);
    const auto in = integer(n);
    switch (which % 4) {
        case 0:
            gemm<double>(language::fortran, 'N', 'N', im, in, im, 2, a.data(), a.ld(), b.data(),
                         b.ld(), 0.5, c.data(), c.ld());
            break;
        case 1:
            triangular<double>(true, language::fortran, side, uplo, 'N', 'N', im, in, 2, a.data(),
                               a.ld(), c.data(), c.ld());
            break;
        case 2:
            symm<double>(language::fortran, side, uplo, im, in, 2, a.data(), a.ld(), b.data(),
                         b.ld(), 0.5, c.data(), c.ld());
            break;
        default:
            triangular<double>(false, language::fortran, side, uplo, 'T', 'N', im, in, 2, a.data(),
                               a.ld(), c.data(), c.ld());
    }
    std::vector<double> kept;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < m; ++i) kept.push_back(c(i, j));
    return kept;
}

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

constexpr std::size_t callers = 64;
constexpr std::size_t calls_each = 6;

TEST(process, many_threads_get_what_one_gets) {
    std::vector<std::vector<double>> alone;
    for (std::size_t i = 0; i < callers; ++i) alone.push_back(result_of(i));
    std::vector<int> wrong(callers, 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < callers; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < calls_each; ++i) {
                const std::size_t which = (t * 7 + i * 11) % callers;
                if (!same_bits(result_of(which), alone[which])) ++wrong[t];
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t t = 0; t < callers; ++t) EXPECT_EQ(wrong[t], 0) << "thread " << t;
}

TEST(process, inside_a_parallel_region_of_the_caller) {
    const std::vector<double> alone = result_of(40);
    int wrong = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
    for (int i = 0; i < 16; ++i)
        if (!same_bits(result_of(40), alone)) ++wrong;
    EXPECT_EQ(wrong, 0);
}

// A product large enough for every thread of the team.
bool large_product_is_right() {
    const std::size_t n = 400;
    std::vector<double> a(n * n, 1.0);
    std::vector<double> c(n * n);
    gemm<double>(language::fortran, 'N', 'N', integer(n), integer(n), integer(n), 1, a.data(),
                 integer(n), a.data(), integer(n), 0, c.data(), integer(n));
    for (const double x : c)
        if (x != static_cast<double>(n)) return false;
    return true;
}

// Sizes that threads share in each way: triangles of C, columns of B, steps with few columns.
std::vector<double> results_of_all(std::size_t order, std::size_t cols) {
    std::mt19937 random(7);
    stored<double> a(language::fortran, order, order, 0);
    stored<double> b(language::fortran, order, cols, 0);
    stored<double> c(language::fortran, order, order, 0);
    a.fill(random);
    b.fill(random);
    c.fill(random);
    for (std::size_t i = 0; i < order; ++i) a(i, i) += 50;
    const auto n = integer(order);
    const auto k = integer(cols);
    std::vector<double> kept;
    const auto keep = [&](const stored<double>& x) {
        kept.insert(kept.end(), x.data(), x.data() + x.rows() * x.cols());
    };
    for (const char uplo : {'L', 'U'}) {
        stored<double> square = c;
        syrk<double>(language::fortran, uplo, 'N', n, k, 2, b.data(), b.ld(), 0.5, square.data(),
                     square.ld());
        syr2k<double>(language::fortran, uplo, 'N', n, k, 2, b.data(), b.ld(), b.data(), b.ld(),
                      0.5, square.data(), square.ld());
        keep(square);
        stored<double> right = b;
        symm<double>(language::fortran, 'L', uplo, n, k, 2, a.data(), a.ld(), b.data(), b.ld(), 0.5,
                     right.data(), right.ld());
        for (const bool solve : {true, false})
            triangular<double>(solve, language::fortran, 'L', uplo, 'N', 'N', n, k, 2, a.data(),
                               a.ld(), right.data(), right.ld());
        keep(right);
    }
    return kept;
}

TEST(process, any_number_of_threads_gives_the_same_bits) {
    const int usual = omp_get_max_threads();
    for (const std::size_t order : {100U, 333U, 700U})
        for (const std::size_t cols : {20U, 150U, 600U}) {
            omp_set_num_threads(1);
            const std::vector<double> alone = results_of_all(order, cols);
            for (const int threads : {2, 3, 7}) {
                omp_set_num_threads(threads);
                EXPECT_TRUE(same_bits(results_of_all(order, cols), alone))
                    << order << " x " << cols << " on " << threads;
            }
        }
    omp_set_num_threads(usual);
}

// Each in a process of its own, since variables are read once.
TEST(process, carat_num_threads_is_the_most) {
    if (!test::workers_can_be_counted) GTEST_SKIP() << test::no_workers_counted;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end_with_threads_started = [] {
        const int before = test::threads_of_process();
        if (!large_product_is_right()) std::_Exit(100);
        std::_Exit(test::threads_of_process() - before);
    };
    setenv("OMP_NUM_THREADS", "2", 1);
    EXPECT_EXIT(end_with_threads_started(), ::testing::ExitedWithCode(1), "");
    for (const int most : {1, 2, 3}) {
        setenv("CARAT_NUM_THREADS", std::to_string(most).c_str(), 1);
        EXPECT_EXIT(end_with_threads_started(), ::testing::ExitedWithCode(most - 1), "");
    }
    setenv("CARAT_NUM_THREADS", "none", 1);
    EXPECT_EXIT(end_with_threads_started(), ::testing::ExitedWithCode(1),
                "carat_blas: CARAT_NUM_THREADS=none is no number of threads");
    unsetenv("CARAT_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
}

TEST(process, children_multiply_after_their_parent_did) {
    ASSERT_TRUE(large_product_is_right());
    EXPECT_EQ(in_child(large_product_is_right), 0);
    EXPECT_EQ(
        in_child([] { return large_product_is_right() && in_child(large_product_is_right) == 0; }),
        0);
    EXPECT_TRUE(large_product_is_right());
}

TEST(process, children_multiply_while_other_threads_of_the_parent_do) {
    if (!test::threads_start_in_children) GTEST_SKIP() << test::no_threads_in_children;
    // Each in a process in which nobody has multiplied yet.
    for (int i = 0; i < 25; ++i)
        ASSERT_EQ(in_child([] {
                      return test::children_are_right_beside_busy_threads(large_product_is_right,
                                                                          2);
                  }),
                  0);
}

}  // namespace

}  // namespace carat::blas::tested
