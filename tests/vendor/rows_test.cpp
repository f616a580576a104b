// Every row of the vendor table against exact integers, on every layout BLAS can express. A library
// that is absent skips its tests and says which package brings it.
#include "lab/vendor/rows.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <thread>

#include "lab/vendor/table.hpp"
#include "product_case.hpp"
#include "tests/parameters.hpp"

namespace carat::vendor::test {

namespace {

constexpr std::array sizes = {0, 1, 7, 33};
constexpr std::array<std::pair<double, double>, 6> scalings = {
    {{1, 0}, {1, 1}, {-2, 3}, {2, 0}, {0, 2}, {0, 0}}};
constexpr std::array lies = {lie{true, 0}, lie{true, 3}, lie{false, 0}, lie{false, 5}};

core::problem problem_of(const core::signature& types, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
    core::problem p = core::row_major_problem(types.a, m, n, k);
    p.b_type = types.b;
    p.c_type = types.c;
    return p;
}

class vendor_row : public testing::TestWithParam<const rows::implementation*> {
  protected:
    void SetUp() override {
        if (const std::string why = entry().unavailable(); !why.empty())
            GTEST_SKIP() << "NOT TESTED: " << why;
    }

    [[nodiscard]] static const rows::implementation& entry() { return *GetParam(); }

    // Signatures of the row that this build of the library has.
    [[nodiscard]] static std::vector<core::signature> offered() {
        std::vector<core::signature> found;
        for (const core::signature& types : entry().signatures)
            if (rows::reason_against(entry(), problem_of(types, 8, 8, 8), {}).empty())
                found.push_back(types);
        return found;
    }

    // A BLAS takes whatever BLAS can express. libxsmm scales nothing and hardly transposes,
    // oneDNN's primitive has no alpha; sums of bytes are not scaled either, and u8 by i8 must be so
    // as the library calls them.
    static bool may_refuse(const core::problem& p) {
        if (p.c_type == dtype::i32)
            return p.alpha != 1 || (p.beta != 0 && p.beta != 1) ||
                   (p.a_type == dtype::u8 && p.c_layout.col_stride != 1);
        if (entry().name == "vendor.onednn_matmul") return p.alpha != 1;
        if (entry().name != "vendor.libxsmm") return false;
        const auto by_rows = [](const core::layout& where) { return where.col_stride == 1; };
        const bool alike = by_rows(p.a_layout) == by_rows(p.c_layout) &&
                           by_rows(p.b_layout) == by_rows(p.c_layout);
        return p.alpha != 1 || (p.beta != 0 && p.beta != 1) || !alike;
    }

    // All layouts and scalings of one size; returns the number of products checked.
    static int sweep(const core::signature& types, std::int64_t m, std::int64_t n, std::int64_t k) {
        int cases = 0;
        core::problem p = problem_of(types, m, n, k);
        for (const lie& a : lies)
            for (const lie& b : lies)
                for (const lie& c : lies)
                    for (const auto& [alpha, beta] : scalings) {
                        p.a_layout = a.of(m, k);
                        p.b_layout = b.of(k, n);
                        p.c_layout = c.of(m, n);
                        p.alpha = alpha;
                        p.beta = beta;
                        ++cases;
                        const std::string why = rows::reason_against(entry(), p, {});
                        if (!why.empty()) {
                            EXPECT_TRUE(may_refuse(p)) << core::describe(p) << ": " << why;
                            continue;
                        }
                        EXPECT_EQ(run_and_check(entry(), p, 1), "")
                            << "alpha " << alpha << " beta " << beta;
                    }
        return cases;
    }
};

TEST_P(vendor_row, is_exact_on_every_layout) {
    int cases = 0;
    for (const core::signature& types : offered())
        for (const int m : sizes)
            for (const int n : sizes)
                for (const int k : sizes) cases += sweep(types, m, n, k);
    const auto each = sizes.size() * sizes.size() * sizes.size() * lies.size() * lies.size() *
                      lies.size() * scalings.size();
    EXPECT_EQ(static_cast<std::size_t>(cases), each * offered().size());
    EXPECT_GE(offered().size(), 1u);
}

TEST_P(vendor_row, is_exact_on_larger_sizes_with_each_thread_count) {
    int cases = 0;
    for (const core::signature& types : offered())
        for (const int threads : {1, 2, 1})
            for (const std::array<int, 3>& size :
                 {std::array{200, 150, 130}, {129, 257, 65}, {1, 300, 300}, {300, 1, 40}}) {
                const core::problem p = problem_of(types, size[0], size[1], size[2]);
                EXPECT_EQ(run_and_check(entry(), p, threads), "") << threads << " threads";
                ++cases;
            }
    EXPECT_EQ(static_cast<std::size_t>(cases), 12 * offered().size());
}

// All that is left of such a product is beta C, and 0.5 of it was taken for none of it.
TEST_P(vendor_row, refuses_factors_that_integers_have_not) {
    for (const core::signature& types : offered()) {
        if (types.c != dtype::i32) continue;
        core::problem nothing = problem_of(types, 4, 4, 0);
        core::problem unread = problem_of(types, 4, 4, 4);
        unread.alpha = 0;
        for (core::problem p : {nothing, unread}) {
            p.beta = 3;
            EXPECT_EQ(rows::reason_against(entry(), p, {}), "");
            p.beta = 0.5;
            EXPECT_EQ(rows::reason_against(entry(), p, {}), core::reason_against_factors(p));
        }
    }
}

// The products of 255 and 127 don't fit into 16 bits by twos.
TEST_P(vendor_row, sums_bytes_of_any_size_exactly) {
    for (const core::signature& types : offered()) {
        if (types.c != dtype::i32) continue;
        const core::problem p = problem_of(types, 24, 24, 100);
        const std::vector<std::uint8_t> a(24 * 100, types.a == dtype::u8 ? 255 : 127);
        const std::vector<std::int8_t> b(100 * 24, 127);
        std::vector<std::int32_t> c(24 * 24);
        entry().prepare(p, {1, {}})->run({a.data(), b.data(), c.data()});
        for (const std::int32_t x : c) ASSERT_EQ(x, 100 * 127 * int{a[0]}) << name(types.a);
    }
}

TEST_P(vendor_row, uses_the_threads_it_was_given) {
    for (const core::signature& types : offered())
        for (const int threads : {1, 2, 3, 1}) {
            const core::problem p = problem_of(types, 64, 64, 64);
            ASSERT_EQ(rows::reason_against(entry(), p, {threads, {}}), "");
            EXPECT_EQ(entry().prepare(p, {threads, {}})->threads(), entry().threaded ? threads : 1);
        }
}

std::set<std::string> threads_alive() {
    std::set<std::string> ids;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
        ids.insert(task.path().filename());
    return ids;
}

// Workers of callers that are gone may still be leaving, so it's the new ones that count.
int threads_alive_beyond(const std::set<std::string>& before) {
    int found = 0;
    for (const std::string& id : threads_alive()) found += before.contains(id) ? 0 : 1;
    return found;
}

// OpenMP gives each calling thread workers of its own, so those of a fresh caller can be counted.
TEST_P(vendor_row, starts_no_more_threads_than_that) {
    for (const core::signature& types : offered())
        for (const int threads : {1, 2, 3}) {
            int started = -1;
            std::thread([&] {
                const core::problem p = problem_of(types, 300, 300, 300);
                const auto before = threads_alive();
                EXPECT_EQ(run_and_check(entry(), p, threads), "");
                started = threads_alive_beyond(before);
            }).join();
            EXPECT_LE(started, threads - 1) << carat::name(types.a);
            const bool counted = entry().library().version.find("OpenMP") != std::string::npos;
            EXPECT_GE(started, threads > 1 && counted ? 1 : 0) << carat::name(types.a);
        }
}

// C of ones times ones with one NaN in row 5 of A.
template <class Input, class Output>
std::vector<Output> product_with_nan(const rows::implementation& entry, const core::problem& p) {
    std::vector<Input> a(static_cast<std::size_t>(p.m * p.k), Input(1));
    const std::vector<Input> b(static_cast<std::size_t>(p.k * p.n), Input(1));
    std::vector<Output> c(static_cast<std::size_t>(p.m * p.n), Output(0));
    a[static_cast<std::size_t>(6 * p.k - 1)] = Input(std::nan(""));
    entry.prepare(p, {})->run({a.data(), b.data(), c.data()});
    return c;
}

template <class Input, class Output>
void expect_nan_in_row_5_only(const rows::implementation& entry, const core::problem& p) {
    const std::vector<Output> c = product_with_nan<Input, Output>(entry, p);
    const auto columns = static_cast<std::size_t>(p.n);
    for (std::size_t at = 0; at < c.size(); ++at)
        ASSERT_EQ(std::isnan(c[at]), at / columns == 5) << at / columns << ", " << at % columns;
}

TEST_P(vendor_row, keeps_a_nan_in_its_row) {
    for (const core::signature& types : offered()) {
        const core::problem p = problem_of(types, 37, 41, 45);
        if (types.a == dtype::f64) expect_nan_in_row_5_only<double, double>(entry(), p);
        if (types.a == dtype::f32) expect_nan_in_row_5_only<float, float>(entry(), p);
        if (types.a == dtype::bf16) expect_nan_in_row_5_only<bf16, float>(entry(), p);
    }
}

TEST_P(vendor_row, refuses_strides_by_naming_the_operand) {
    const core::problem good = problem_of(offered().at(0), 4, 5, 6);
    core::problem bad = good;
    bad.a_layout = {12, 2};
    EXPECT_EQ(rows::reason_against(entry(), bad, {}).substr(0, 49),
              "A (4 x 6) has row stride 12 and column stride 2: ");
    bad = good;
    bad.b_layout = {-5, 1};
    EXPECT_EQ(rows::reason_against(entry(), bad, {}).substr(0, 15), "B (6 x 5) has r");
    bad = good;
    bad.c_layout = {4, 1};  // rows would overlap
    EXPECT_EQ(rows::reason_against(entry(), bad, {}).substr(0, 15), "C (4 x 5) has r");
}

TEST_P(vendor_row, tells_what_it_is) {
    const rows::library_facts facts = entry().library();
    EXPECT_FALSE(facts.name.empty());
    EXPECT_FALSE(facts.version.empty());
    EXPECT_TRUE(facts.path.starts_with("/")) << facts.path;
    EXPECT_FALSE(facts.kernel.empty());
    std::cout << facts.name << " | " << facts.version << " | " << facts.kernel << " | "
              << facts.note << '\n';
}

TEST_P(vendor_row, serves_callers_on_many_threads) {
    std::vector<std::string> wrong(4);
    {
        std::vector<std::jthread> callers;
        for (std::size_t i = 0; i < wrong.size(); ++i)
            callers.emplace_back([&, i] {
                const auto size = static_cast<std::int64_t>(40 + i);
                for (int round = 0; round < 20 && wrong[i].empty(); ++round)
                    wrong[i] = run_and_check(
                        entry(), problem_of(entry().signatures[0], size, size, size), 1);
            });
    }
    for (const std::string& message : wrong) EXPECT_EQ(message, "");
}

// Its code crashes there.
TEST(libxsmm, operands_beyond_32_bits_of_bytes_are_refused) {
    const auto reason = [](dtype type, std::int64_t m, std::int64_t n, std::int64_t k,
                           const core::layout& b) {
        core::problem p = core::row_major_problem(type, m, n, k);
        p.b_layout = b;
        return rows::reason_against(libxsmm_row, p, {});
    };
    if (const std::string why = libxsmm_row.unavailable(); !why.empty())
        GTEST_SKIP() << "NOT TESTED: " << why;
    EXPECT_EQ(reason(dtype::f64, 8, 64, 20000, {20000, 1}),
              "B is 20000 lines, each 20000 elements after the last: the code that it generates "
              "reaches 2147483648 bytes of an operand");
    EXPECT_TRUE(reason(dtype::f64, 16385, 8, 16385, {8, 1}).starts_with("A is 16385 lines"));
    EXPECT_TRUE(reason(dtype::f64, 16385, 16385, 8, {16385, 1}).starts_with("C is 16385 lines"));
    EXPECT_EQ(reason(dtype::f64, 16384, 16384, 16384, {16384, 1}), "");
    EXPECT_EQ(reason(dtype::f32, 8, 64, 20000, {20000, 1}), "");
}

INSTANTIATE_TEST_SUITE_P(table, vendor_row,
                         testing::ValuesIn(vendor_table().begin(), vendor_table().end()),
                         [](const auto& row) {
                             return std::string(row.param->name.substr(sizeof("vendor.") - 1));
                         });

}  // namespace

}  // namespace carat::vendor::test
