// Layers of networks: right by the implementations that are here, and caught when they are wrong.
#include "lab/study/compositions.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include <carat/error.hpp>

#include "lab/catalogue/catalogue.hpp"
#include "tests/support/refusal.hpp"

namespace {

using namespace carat;

// A product with one mistake.
enum class mistake { none, transposed_b, unwritten, forgets_beta, skips_last_column };

template <mistake M>
class flawed final : public rows::runnable {
  public:
    explicit flawed(const core::problem& p) : p_(p) {}

    void run(const core::operands& data) override {
        if (M == mistake::unwritten) return;
        const auto a = core::a_view<float>(p_, data);
        const auto b = core::b_view<float>(p_, data);
        const auto c = core::c_view<float>(p_, data);
        const std::size_t square = std::min(b.rows(), b.cols());
        for (std::size_t i = 0; i < c.rows(); ++i)
            for (std::size_t j = 0; j < c.cols() - (M == mistake::skips_last_column); ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < a.cols(); ++k) {
                    const bool turn = M == mistake::transposed_b && j < square && k < square;
                    sum += double{a(i, k)} * double{turn ? b(j, k) : b(k, j)};
                }
                const double before =
                    p_.beta == 0 || M == mistake::forgets_beta ? 0 : p_.beta * c(i, j);
                c(i, j) = static_cast<float>(p_.alpha * sum + before);
            }
    }

  private:
    core::problem p_;
};

constexpr core::signature f32_only[] = {{dtype::f32, dtype::f32, dtype::f32, "f32"}};

template <mistake M>
constexpr rows::implementation entry_with = {
    .name = "test.flawed",
    .summary = "",
    .signatures = f32_only,
    .prepare = [](const core::problem& p, const core::settings&)
        -> std::unique_ptr<rows::runnable> { return std::make_unique<flawed<M>>(p); }};

double error_of(const study::layer& l, const rows::implementation& by) {
    const auto made = l.make(by, 2, 7);
    made->run();
    return made->worst_error();
}

// Those that are made of products of any implementation.
std::vector<study::layer> of_single_products() {
    std::vector<study::layer> some;
    for (const study::layer& l : study::layers())
        if (l.form != "batches") some.push_back(l);
    return some;
}

TEST(compositions, are_right_by_the_engine_and_by_plain_loops) {
    ASSERT_EQ(of_single_products().size(), 4U);
    for (const study::layer& l : of_single_products())
        for (const char* name : {"cpu.engine", "cpu.ladder.tiled_reordered"})
            EXPECT_LE(error_of(l, lab::catalogue().find(name)), study::largest_error)
                << l.name << " " << l.form << " by " << name;
}

TEST(compositions, stay_right_when_run_again) {
    for (const study::layer& l : study::layers()) {
        const auto made = l.make(lab::catalogue().find("cpu.engine"), 2, 7);
        made->run();
        made->run();
        EXPECT_LE(made->worst_error(), study::largest_error) << l.name << " " << l.form;
    }
}

TEST(compositions, catch_products_with_a_mistake) {
    for (const study::layer& l : of_single_products()) {
        EXPECT_LE(error_of(l, entry_with<mistake::none>), study::largest_error) << l.name;
        EXPECT_GT(error_of(l, entry_with<mistake::transposed_b>), study::largest_error) << l.name;
        EXPECT_GT(error_of(l, entry_with<mistake::unwritten>), study::largest_error) << l.name;
        EXPECT_GT(error_of(l, entry_with<mistake::skips_last_column>), study::largest_error)
            << l.name;
    }
    EXPECT_GT(error_of(of_single_products()[3], entry_with<mistake::forgets_beta>),
              study::largest_error);
}

TEST(compositions, in_batches_are_the_librarys) {
    const auto& all = study::layers();
    const auto l = std::ranges::find(all, "batches", &study::layer::form);
    ASSERT_NE(l, all.end());
    EXPECT_LE(error_of(*l, lab::catalogue().find("cpu.engine")), study::largest_error);
    EXPECT_THROW((void)l->make(lab::catalogue().find("cpu.ladder.naive"), 1, 1), error);
}

TEST(compositions, give_the_reason_when_a_product_is_not_taken) {
    const rows::implementation& reference = lab::catalogue().find("cpu.ladder.naive");
    rows::implementation refuses = reference;
    refuses.unsupported = [](const core::problem&, const core::settings&) -> std::string {
        return "not on a Saturday";
    };
    for (const study::layer& l : of_single_products()) {
        const std::string why = test::refusal_of([&] { (void)l.make(refuses, 1, 1); });
        EXPECT_NE(why.find("not on a Saturday"), std::string::npos) << l.name;
    }
}

}  // namespace
