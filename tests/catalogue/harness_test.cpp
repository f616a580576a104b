// The harness itself: implementations with one flaw each, and what failure_of() says of them.
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>

#include "generate.hpp"

namespace carat::test {

namespace {

enum class flaw : std::uint8_t {
    none,
    last_row_wrong_beyond_16,
    reads_c_despite_beta_0,
    reads_a_despite_alpha_0,
    reads_behind_b,
    reads_in_front_of_a,
    writes_behind_c,
    writes_padding,
    writes_a,
    other_bits_each_time,
    too_many_threads,
    rounding_mode,
};

// The right product, and one flaw.
template <flaw Flaw>
class flawed final : public rows::runnable {
  public:
    explicit flawed(const core::problem& p) : p_(p) {}

    void run(const core::operands& data) override {
        const auto a = core::a_view<double>(p_, data);
        const auto b = core::b_view<double>(p_, data);
        const auto c = core::c_view<double>(p_, data);
        for (std::size_t i = 0; i < c.rows(); ++i)
            for (std::size_t j = 0; j < c.cols(); ++j) c(i, j) = entry(a, b, c, i, j);
        if (c.empty() || a.cols() == 0) return;
        add_flaw(a, b, c);
    }

    [[nodiscard]] int threads() const override { return Flaw == flaw::too_many_threads ? 2 : 1; }

  private:
    using input = matrix_view<const double>;
    using output = matrix_view<double>;

    [[nodiscard]] double entry(const input& a, const input& b, const output& c, std::size_t i,
                               std::size_t j) const {
        double sum = 0;
        const bool multiplies = p_.alpha != 0 || Flaw == flaw::reads_a_despite_alpha_0;
        for (std::size_t q = 0; multiplies && q < a.cols(); ++q) sum += a(i, q) * b(q, j);
        const bool reads_c = p_.beta != 0 || Flaw == flaw::reads_c_despite_beta_0;
        return p_.alpha * sum + (reads_c ? p_.beta * c(i, j) : 0);
    }

    void add_flaw(const input& a, const input& b, const output& c) {
        const std::size_t last = c.rows() - 1;
        if (Flaw == flaw::last_row_wrong_beyond_16 && last >= 16) c(last, 0) += 1;
        if (Flaw == flaw::reads_behind_b) seen_ = (&b(b.rows() - 1, b.cols() - 1))[1];
        if (Flaw == flaw::reads_in_front_of_a) seen_ = a.data()[-1];
        if (Flaw == flaw::writes_behind_c) (&c(last, c.cols() - 1))[1] = 0;
        if (Flaw == flaw::writes_padding && c.row_stride() > static_cast<long>(c.cols()))
            c(0, c.cols()) = 0;
        if (Flaw == flaw::writes_a) const_cast<double&>(a(0, 0)) += 1;
        if (Flaw == flaw::other_bits_each_time && runs_++ > 0)
            c(0, 0) = std::nextafter(c(0, 0), 1e9);
        if (Flaw == flaw::rounding_mode) std::fesetround(FE_UPWARD);
    }

    core::problem p_;
    volatile double seen_ = 0;
    int runs_ = 0;
};

constexpr core::signature signature = {dtype::f64, dtype::f64, dtype::f64, "f64"};

template <flaw Flaw>
constexpr rows::implementation entry_with = {
    .name = "test.flawed",
    .summary = "one flaw",
    .signatures = {&signature, 1},
    .prepare = [](const core::problem& p, const core::settings&)
        -> std::unique_ptr<rows::runnable> { return std::make_unique<flawed<Flaw>>(p); }};

template <flaw Flaw>
product_case case_with(std::int64_t m, std::int64_t n, std::int64_t k) {
    product_case c = plain_case(entry_with<Flaw>, signature, m, n, k);
    c.p.beta = 1;
    c.data = workload::normal(0, 1);
    return c;
}

TEST(Harness, PassesTheRightOne) {
    EXPECT_EQ(failure_of(case_with<flaw::none>(20, 7, 9)), "");
    int passed = 0;
    for (std::uint64_t number = 0; number < 200; ++number) {
        const product_case c = random_case(entry_with<flaw::none>, signature, number);
        const std::string why = failure_of(c);
        EXPECT_EQ(why, "") << describe(c);
        passed += why.empty() ? 1 : 0;
    }
    EXPECT_EQ(passed, 200);
}

TEST(Harness, ShrinksToTheSmallestThatFails) {
    product_case found;
    for (std::uint64_t number = 0; found.entry == nullptr; ++number) {
        ASSERT_LT(number, 100U);
        const product_case c =
            random_case(entry_with<flaw::last_row_wrong_beyond_16>, signature, number);
        if (!failure_of(c).empty()) found = c;
    }
    const product_case smallest = smallest_failing(found);
    EXPECT_EQ(smallest.p.m, 17);
    EXPECT_EQ(smallest.p.n, 1);
    EXPECT_EQ(smallest.p.k, 1);
    EXPECT_EQ(smallest.p.beta, 0);
    EXPECT_NE(describe(smallest).find("test.flawed f64*f64->f64 m=17 n=1 k=1 alpha=1 beta=0"),
              std::string::npos);
}

TEST(Harness, SeesWhatIsReadOrWrittenWithoutLeave) {
    product_case c = case_with<flaw::reads_c_despite_beta_0>(5, 6, 7);
    c.p.beta = 0;
    EXPECT_NE(failure_of(c).find("nan"), std::string::npos);

    c = case_with<flaw::writes_padding>(5, 6, 7);
    c.p.c_layout = core::row_major(9);
    EXPECT_NE(failure_of(c).find("around the elements of C"), std::string::npos);

    EXPECT_NE(failure_of(case_with<flaw::writes_a>(5, 6, 7)).find("A was changed"),
              std::string::npos);
    EXPECT_NE(failure_of(case_with<flaw::other_bits_each_time>(5, 6, 7)).find("second run"),
              std::string::npos);
    EXPECT_NE(failure_of(case_with<flaw::too_many_threads>(5, 6, 7)).find("2 threads"),
              std::string::npos);
    EXPECT_NE(failure_of(case_with<flaw::rounding_mode>(5, 6, 7)).find("rounding mode"),
              std::string::npos);
    std::fesetround(FE_TONEAREST);
}

// A fault ends the process after saying which product it was.
TEST(HarnessDeathTest, GuardPagesCatchReadsAndWrites) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const char* said = "test.flawed f64.*m=5 n=6 k=7";
    product_case behind = case_with<flaw::reads_behind_b>(5, 6, 7);
    behind.places[1].side = flush::back;
    EXPECT_DEATH(static_cast<void>(failure_of(behind)), said);
    EXPECT_DEATH(static_cast<void>(failure_of(case_with<flaw::reads_in_front_of_a>(5, 6, 7))),
                 said);
    product_case write = case_with<flaw::writes_behind_c>(5, 6, 7);
    write.places[2].side = flush::back;
    EXPECT_DEATH(static_cast<void>(failure_of(write)), said);
    product_case unread = case_with<flaw::reads_a_despite_alpha_0>(5, 6, 7);
    unread.p.alpha = 0;
    EXPECT_DEATH(static_cast<void>(failure_of(unread)), said);
}

}  // namespace

}  // namespace carat::test
