// Cases of many products: what cannot compute them, what computes one wrongly, and what files keep.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "fakes.hpp"
#include "lab/results/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;
using namespace carat::fakes;

void nothing(int, const core::problem&, const core::operands&) {}

// What goes wrong in the last product alone.
std::unique_ptr<rows::runnable> prepare_all(const rows::operation& all, const core::settings& s) {
    return loop_over([&](const core::problem& p) { return prepare<nothing>(p, s); }, all);
}

template <std::int64_t Wrong>
std::unique_ptr<rows::runnable> prepare_but_one(const rows::operation& all,
                                                const core::settings& s) {
    return product_by([all, each = prepare_all(all, s)](const core::operands& data) {
        const core::operands one = product_at(all, data, Wrong);
        const double kept = *static_cast<double*>(one.c);
        each->run(data);
        *static_cast<double*>(one.c) = kept;  // never written
    });
}

// The first matrices of all, whatever the batch.
std::unique_ptr<rows::runnable> prepare_with_one_a(const rows::operation& all,
                                                   const core::settings& s) {
    return product_by([all, one = prepare<nothing>(all.one, s)](const core::operands& data) {
        for (std::int64_t i = 0; i < all.count; ++i) {
            core::operands each = product_at(all, data, i);
            each.a = data.a;
            one->run(each);
        }
    });
}

rows::implementation batched(const char* name,
                             decltype(rows::implementation::prepare_operation) how) {
    rows::implementation entry = fake(name, prepare<nothing>);
    entry.prepare_operation = how;
    entry.takes_groups = true;
    return entry;
}

const rows::implementation single = fake("test.single", prepare<nothing>);
const rows::implementation right = batched("test.right", prepare_all);
const rows::implementation unwritten = batched("test.unwritten", prepare_but_one<4>);
const rows::implementation one_a = batched("test.one_a", prepare_with_one_a);

class batches : public testing::TestWithParam<bool> {  // in processes of their own
  protected:
    void SetUp() override {
        choose(request, {&single, &right, &unwritten, &one_a});
        request.shapes = {{6, 5, 4}};
        request.asked = {.batch = 7};
        request.stored = request::parse_storage("ntt+3");
        request.timing.trials = 3;
        request.timing.min_trial_s = 1e-6;
        request.timing.settle_s = 1e-6;
        request.processes = GetParam() ? 1 : 0;
        machine.cores = 2;
        if (GetParam()) user.start = forked;
    }

    results::document measured() {
        auto doc = session::new_document(request, machine, limits, "test");
        EXPECT_TRUE(session::run_session(request, machine, limits, out, user, doc));
        return doc;
    }
    static const results::result& of(const results::document& doc, std::string_view name) {
        return *std::ranges::find(doc.results, name, &results::result::implementation);
    }

    request::measurement request;
    session::outputs out;
    session::hooks user;
    machine::description machine;
    machine::peaks limits;
};

TEST_P(batches, every_product_is_verified_and_all_are_counted) {
    const results::document doc = measured();
    EXPECT_EQ(of(doc, "test.single").reason, "it has no batches");
    EXPECT_FALSE(of(doc, "test.single").available);
    const results::result& r = of(doc, "test.right");
    EXPECT_TRUE(r.verified) << r.reason;
    EXPECT_EQ(r.flop, 7 * 2 * 6 * 5 * 4);
    EXPECT_EQ(r.trials_s.size(), 3u);
    EXPECT_EQ(r.asked.batch, 7);
    // One matrix of each for all products would be 2 m n k over 8 (m k + k n + m n).
    EXPECT_DOUBLE_EQ(r.arithmetic_intensity, 240.0 / (8 * (24 + 20 + 30)));
    EXPECT_FALSE(of(doc, "test.unwritten").verified);
    EXPECT_NE(of(doc, "test.unwritten").reason.find("product 4 of 7: C(0, 0) was never written"),
              std::string::npos)
        << of(doc, "test.unwritten").reason;
    EXPECT_FALSE(of(doc, "test.one_a").verified);
    EXPECT_NE(of(doc, "test.one_a").reason.find("product 1 of 7: "), std::string::npos)
        << of(doc, "test.one_a").reason;
}

TEST_P(batches, told_by_pointers_or_one_by_one_are_the_same_products) {
    request.rotate_inputs = true;
    for (const auto lies : {rows::placement::pointers, rows::placement::listed}) {
        request.asked.lies = lies;
        const results::document doc = measured();
        EXPECT_TRUE(of(doc, "test.right").verified) << of(doc, "test.right").reason;
        EXPECT_FALSE(of(doc, "test.unwritten").verified);
        EXPECT_EQ(of(doc, "test.single").reason, lies == rows::placement::listed
                                                     ? "it has no groups of products"
                                                     : "it has no batches");
    }
}

TEST_P(batches, are_kept_in_files_and_resumed_as_what_they_are) {
    const test::scratch_folder folder;
    out = {folder.path() / "r.json", {}};
    request.asked.lies = rows::placement::pointers;
    const results::document doc = measured();
    const results::document back = results::load(out.json);
    EXPECT_EQ(of(back, "test.right").asked, request.asked);
    EXPECT_EQ(of(back, "test.single").asked, request.asked);
    ASSERT_EQ(back.comparisons.size(), 1u);
    EXPECT_EQ(back.comparisons[0].asked, request.asked);
    const auto resumable = [&] {
        session::require_resumable(back, session::new_document(request, machine, limits, "test"),
                                   "a.json");
    };
    EXPECT_NO_THROW(resumable());
    request.asked.batch = 8;
    const std::string why = test::refusal_of(resumable);
    EXPECT_NE(why.find("call \"batch 7 by pointers\""), std::string::npos) << why;
}

// Leaves out what beta multiplies in every product but the first.
template <bool Forgets>
std::unique_ptr<rows::runnable> prepare_with_factors(const rows::operation& all,
                                                     const core::settings&) {
    return product_by([all](const core::operands& data) {
        for (std::int64_t i = 0; i < all.count; ++i) {
            const core::operands one = product_at(all, data, i);
            const auto a = core::a_view<double>(all.one, one);
            const auto b = core::b_view<double>(all.one, one);
            const auto c = core::c_view<double>(all.one, one);
            const double beta = i > 0 && Forgets ? 0 : all.one.beta;
            for (std::size_t r = 0; r < c.rows(); ++r)
                for (std::size_t j = 0; j < c.cols(); ++j) {
                    double sum = 0;
                    for (std::size_t l = 0; l < a.cols(); ++l) sum += a(r, l) * b(l, j);
                    c(r, j) = all.one.alpha * sum + (beta == 0 ? 0 : beta * c(r, j));
                }
        }
    });
}

const rows::implementation faithful = batched("test.faithful", prepare_with_factors<false>);
const rows::implementation forgetful = batched("test.forgetful", prepare_with_factors<true>);

TEST_P(batches, with_factors_are_verified_on_a_c_that_is_read) {
    choose(request, {&faithful, &forgetful});
    request.asked.alpha = -0.5;
    request.asked.beta = 2;
    const results::document doc = measured();
    EXPECT_TRUE(of(doc, "test.faithful").verified) << of(doc, "test.faithful").reason;
    EXPECT_EQ(of(doc, "test.faithful").exact_passes, 5);
    EXPECT_EQ(of(doc, "test.faithful").verification, "componentwise");
    // C is read, and written: (m k + k n + 2 m n).
    EXPECT_DOUBLE_EQ(of(doc, "test.faithful").arithmetic_intensity, 240.0 / (8 * (24 + 20 + 60)));
    EXPECT_FALSE(of(doc, "test.forgetful").verified);
    EXPECT_NE(of(doc, "test.forgetful").reason.find("product 1 of 7: "), std::string::npos)
        << of(doc, "test.forgetful").reason;
}

// Adds what lies in E, or what it finds in C.
template <bool ReadsC>
std::unique_ptr<rows::runnable> prepare_with_e(const rows::operation& all,
                                               const core::settings& s) {
    return product_by(
        [all, each = prepare_with_factors<false>(all, s)](const core::operands& data) {
            const core::problem whole = problem_of_whole_c(all);
            const auto c = core::c_view<double>(whole, data);
            const auto e = core::c_view<double>(whole, with_read_c(all, data));
            for (std::size_t i = 0; i < c.rows() && !ReadsC; ++i)
                for (std::size_t j = 0; j < c.cols(); ++j) c(i, j) = e(i, j);
            each->run(data);
        });
}

rows::implementation with_e(rows::implementation entry) {
    entry.takes_other_e = true;
    return entry;
}

const rows::implementation reads_e = with_e(batched("test.reads_e", prepare_with_e<false>));
const rows::implementation reads_c = with_e(batched("test.reads_c", prepare_with_e<true>));

TEST_P(batches, with_an_e_other_than_c_are_verified_on_it) {
    choose(request, {&faithful, &reads_e, &reads_c});
    request.asked.beta = -1;
    request.asked.other_e = true;
    for (const bool rotate : {false, true}) {
        request.rotate_inputs = rotate;
        const results::document doc = measured();
        EXPECT_EQ(of(doc, "test.faithful").reason, "it adds beta C in place, and no other E");
        EXPECT_TRUE(of(doc, "test.reads_e").verified) << of(doc, "test.reads_e").reason;
        EXPECT_EQ(of(doc, "test.reads_e").exact_passes, 5);
        EXPECT_EQ(of(doc, "test.reads_e").verification, "componentwise");
        EXPECT_FALSE(of(doc, "test.reads_c").verified);
    }
}

// The B of the first product for all of a group.
std::unique_ptr<rows::runnable> prepare_with_one_b(const rows::operation& all,
                                                   const core::settings& s) {
    return prepare<nothing>(all.one, s);
}

const rows::implementation one_b = batched("test.one_b", prepare_with_one_b);

TEST_P(batches, groups_are_verified_product_by_product_and_counted_once) {
    choose(request, {&single, &right, &unwritten, &one_b});
    request.asked = {.groups = "3,0,2,4,5"};
    const results::document doc = measured();
    EXPECT_EQ(of(doc, "test.single").reason, "it has no groups of products");
    const results::result& r = of(doc, "test.right");
    EXPECT_TRUE(r.verified) << r.reason;
    EXPECT_EQ(r.m, 14);
    EXPECT_EQ(r.flop, 2 * 14 * 5 * 4);
    EXPECT_EQ(r.asked.groups, "3,0,2,4,5");
    EXPECT_DOUBLE_EQ(r.arithmetic_intensity, 560.0 / (8 * (14 * 4 + 4 * 5 * 4 + 14 * 5)));
    EXPECT_FALSE(of(doc, "test.unwritten").verified);
    EXPECT_NE(of(doc, "test.unwritten").reason.find("product 4 of 5: C(0, 0) was never written"),
              std::string::npos)
        << of(doc, "test.unwritten").reason;
    EXPECT_FALSE(of(doc, "test.one_b").verified);
    EXPECT_NE(of(doc, "test.one_b").reason.find("product 2 of 5: "), std::string::npos)
        << of(doc, "test.one_b").reason;
}

INSTANTIATE_TEST_SUITE_P(session, batches, testing::Bool(), [](const auto& at) {
    return std::string(at.param ? "in_processes" : "here");
});

}  // namespace
