// Cases and sessions with special implementations: right, wrong, absent and too fast.
#include "lab/session/session.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

#include <carat/error.hpp>

#include "lab/results/files.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;

constexpr core::signature f64_only[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"}};
constexpr core::tunable tile[] = {{"tile-size", 4, 1, 64, ""}};

template <bool TransposeB>
class plain final : public rows::runnable {
  public:
    explicit plain(const core::problem& p) : problem_(p) {}

    void run(const core::operands& data) override {
        const auto a = core::a_view<double>(problem_, data);
        const auto b = core::b_view<double>(problem_, data);
        const auto c = core::c_view<double>(problem_, data);
        for (std::size_t i = 0; i < c.rows(); ++i)
            for (std::size_t j = 0; j < c.cols(); ++j) {
                double sum = 0;
                for (std::size_t p = 0; p < a.cols(); ++p)
                    sum += a(i, p) * (TransposeB ? b(j, p) : b(p, j));
                c(i, j) = sum;
            }
    }

  private:
    core::problem problem_;
};

template <bool TransposeB>
std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings&) {
    return std::make_unique<plain<TransposeB>>(p);
}

std::unique_ptr<rows::runnable> refuse_late(const core::problem&, const core::settings&) {
    throw error(error_code::out_of_memory, "workspace: no memory for it");
}

const rows::implementation right{.name = "test.right",
                                 .summary = "",
                                 .signatures = f64_only,
                                 .tunables = tile,
                                 .prepare = prepare<false>};
const rows::implementation also_right{
    .name = "test.also", .summary = "", .signatures = f64_only, .prepare = prepare<false>};
const rows::implementation wrong{
    .name = "test.wrong", .summary = "", .signatures = f64_only, .prepare = prepare<true>};
const rows::implementation absent{.name = "test.absent",
                                  .summary = "",
                                  .signatures = f64_only,
                                  .unavailable = [] { return std::string("not installed"); },
                                  .prepare = prepare<false>};
const rows::implementation late{
    .name = "test.late", .summary = "", .signatures = f64_only, .prepare = refuse_late};

// Accounts of a machine on which `others` of two processors go to other work while time flies.
std::function<measure::work_probe()> beside(double others) {
    return [others] {
        const auto now_s = std::make_shared<double>(0);
        return measure::work_probe{[now_s] { return *now_s += 10; }, [] { return 0.0; },
                                   [now_s, others]() -> std::optional<measure::processor_use> {
                                       return measure::processor_use{others * *now_s, 0};
                                   },
                                   []() -> std::int64_t { return 0; }, 2};
    };
}

class sessions : public testing::Test {
  protected:
    void SetUp() override {
        request.chosen = {{&right, {}, true},
                          {&also_right, {}, true},
                          {&wrong, {}, true},
                          {&absent, {}, true},
                          {&late, {}, true}};
        request.shapes = {{8, 8, 8}, {9, 7, 5}};
        request.timing.trials = 3;
        request.timing.min_trial_s = 1e-6;
        request.timing.settle_s = 1e-6;
        machine.cores = 2;
        user.probe = beside(0);
    }

    session::case_result run_first(double others = 0) {
        session::surroundings around{machine, limits, {}, {}, {}, {}};
        around.probe = beside(others);
        return session::run_case(request, request::cases_of(request).front(), around);
    }

    static const results::result& result(const session::case_result& r, std::string_view name) {
        return *std::ranges::find(r.results, name, &results::result::implementation);
    }

    request::measurement request;
    session::hooks user;
    machine::description machine;
    machine::peaks limits;
};

TEST_F(sessions, what_is_right_is_timed_and_ranked_and_what_is_wrong_gets_no_figure) {
    const session::case_result r = run_first();
    EXPECT_EQ(r.results.size(), 5u);
    EXPECT_TRUE(result(r, "test.right").verified);
    EXPECT_EQ(result(r, "test.right").trials_s.size(), 3u);
    EXPECT_EQ(result(r, "test.right").tunables.at("tile-size"), 4);
    EXPECT_GT(result(r, "test.right").median_gflops, 0);
    EXPECT_GT(result(r, "test.right").cold_s, 0);
    EXPECT_TRUE(result(r, "test.right").few_trials);
    EXPECT_FALSE(result(r, "test.wrong").verified);
    EXPECT_TRUE(result(r, "test.wrong").trials_s.empty());
    EXPECT_FALSE(result(r, "test.wrong").reason.empty());
    EXPECT_EQ(result(r, "test.absent").reason, "not installed");
    EXPECT_EQ(result(r, "test.late").reason, "workspace: no memory for it");
    EXPECT_EQ(result(r, "test.right").rank + result(r, "test.also").rank, 3);
    ASSERT_EQ(r.compared.pairs.size(), 1u);
}

TEST_F(sessions, on_a_busy_machine_figures_are_kept_and_nothing_is_ranked) {
    request.threads = {2};
    const session::case_result quiet = run_first(0.3);  // one thread, and a core for the others
    EXPECT_EQ(result(quiet, "test.right").busy, "");
    EXPECT_TRUE(result(quiet, "test.right").ranked());
    const session::case_result r = run_first(1.6);
    for (const char* name : {"test.right", "test.also"}) {
        const results::result& c = result(r, name);
        EXPECT_EQ(c.busy,
                  "other work took 80 % of the processors' time: stop it and measure again");
        EXPECT_EQ(c.trials_s.size(), 3u);
        EXPECT_GT(c.median_gflops, 0);
        EXPECT_FALSE(c.ranked());
        EXPECT_TRUE(c.has_figure());
        EXPECT_EQ(c.group, "");
    }
    EXPECT_EQ(result(r, "test.wrong").busy, "");
    EXPECT_EQ(result(r, "test.absent").busy, "");
    EXPECT_TRUE(r.compared.pairs.empty());
}

// A guest whose host takes 10 ms in each look at its processors.
TEST_F(sessions, what_the_host_takes_stands_beside_each_trial) {
    machine.hypervisor = "KVM";
    session::surroundings around{machine, limits, {}, {}, {}, {}};
    around.probe = [] {
        measure::work_probe probe = beside(0)();
        probe.all_s = [stolen_s = 0.0]() mutable -> std::optional<measure::processor_use> {
            stolen_s += 0.01;
            return measure::processor_use{0, stolen_s};
        };
        return probe;
    };
    const auto r = session::run_case(request, request::cases_of(request).front(), around);
    const results::result& c = result(r, "test.right");
    ASSERT_EQ(c.trials_stolen_s.size(), 3u);
    EXPECT_NEAR(c.trials_stolen_s[1], 0.01, 1e-12);
    EXPECT_TRUE(c.trials_displaced.empty());
    EXPECT_TRUE(c.busy.starts_with("others disturbed 100 % of its trials")) << c.busy;
}

TEST_F(sessions, what_takes_longer_than_the_limit_is_skipped_though_nothing_foretold_it) {
    request.slowest_run_s = 1e-12;
    const results::result skipped = result(run_first(), "test.right");
    EXPECT_FALSE(skipped.ranked());
    EXPECT_TRUE(skipped.trials_s.empty());
    EXPECT_EQ(skipped.verification, "none");  // not a product that is wrong
    EXPECT_TRUE(skipped.reason.starts_with("skipped: one run takes")) << skipped.reason;
}

TEST_F(sessions, a_figure_above_the_measured_peak_is_refused) {
    limits.compute.push_back({"slow unit", dtype::f64, core::isa::baseline, 1, 1e-9, 0, 1});
    const session::case_result r = run_first();
    EXPECT_TRUE(result(r, "test.right").above_peak);
    EXPECT_FALSE(result(r, "test.right").ranked());
    EXPECT_NE(result(r, "test.right").reason.find("measured peak"), std::string::npos);
}

TEST_F(sessions, the_peak_is_measured_again_before_a_figure_is_called_impossible) {
    limits.compute.push_back({"slow unit", dtype::f64, core::isa::baseline, 1, 1e-9, 0, 1});
    request.shapes = {{8, 8, 8}};
    int measured = 0;
    user.measure_again = [&](machine::peaks better, const std::vector<int>&) {
        ++measured;
        better.compute[0].gflops = 1e9;
        return better;
    };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_EQ(measured, 1);
    EXPECT_FALSE(doc.results[0].above_peak);
    EXPECT_TRUE(doc.results[0].ranked());
}

TEST_F(sessions, nobody_is_accused_by_limits_measured_on_a_busy_machine) {
    limits.compute.push_back({"slow unit", dtype::f64, core::isa::baseline, 1, 1e-9, 0, 1});
    const session::case_result r = run_first(1.5);
    EXPECT_NE(result(r, "test.right").busy, "");
    EXPECT_FALSE(result(r, "test.right").above_peak);
}

TEST_F(sessions, a_figure_above_what_memory_feeds_is_measured_again_and_then_refused) {
    limits.reading = {{1, 1 << 20, 1e-9, 0, 1}};
    limits.bandwidth = {{"L1", 1, 1e-9, 0, 1, 1 << 20}};
    request.shapes = {{8, 8, 8}};
    request.chosen = {{&right, {}, true}};
    std::vector<int> with_threads;
    user.measure_again = [&](machine::peaks same, const std::vector<int>& threads) {
        with_threads = threads;
        return same;
    };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_EQ(with_threads, std::vector{doc.results[0].threads_used});
    EXPECT_TRUE(doc.results[0].above_peak);
    EXPECT_TRUE(doc.results[0].reason.starts_with("faster than its operands can come from L1"))
        << doc.results[0].reason;
}

TEST_F(sessions, one_implementation_with_several_tunables_carries_them_in_its_name) {
    request.chosen = {{&right, {{"tile-size", 2}}, true}, {&right, {{"tile-size", 8}}, true}};
    const session::case_result r = run_first();
    EXPECT_EQ(r.results[0].implementation, "test.right[tile-size=2]");
    EXPECT_EQ(r.results[1].implementation, "test.right[tile-size=8]");
}

TEST_F(sessions, what_is_expected_to_take_too_long_is_skipped_with_the_figure) {
    request.slowest_run_s = 1;
    const session::surroundings around{
        machine, limits, [](const auto&, const auto&) { return 12.5; }, {}, {}, {}};
    const auto r = session::run_case(request, request::cases_of(request).front(), around);
    EXPECT_FALSE(result(r, "test.right").available);
    EXPECT_NE(result(r, "test.right").reason.find("12.5 s"), std::string::npos);
}

TEST_F(sessions, a_product_on_the_cpu_has_no_phases_even_when_they_are_asked_for) {
    request.phases = request::host_memory::pageable;
    const session::case_result r = run_first();
    EXPECT_EQ(result(r, "test.right").trials_s.size(), 3u);
    for (const results::result& c : r.results) EXPECT_FALSE(c.end_to_end) << c.implementation;
}

TEST_F(sessions, what_would_take_too_long_is_judged_by_the_largest_product_so_far) {
    // Small products are slow: judged by them, every large one would be skipped.
    request.shapes = {{2, 2, 2}, {48, 48, 48}, {64, 64, 64}};
    request.chosen = {{&right, {}, true}};
    request.slowest_run_s = 1;
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    for (results::result& c : doc.results)
        if (c.n == 2) c.median_gflops = 1e-9;
    doc.results.pop_back();
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_TRUE(doc.results.back().available) << doc.results.back().reason;
}

TEST_F(sessions, what_one_thread_takes_does_not_judge_a_product_of_two) {
    rows::implementation parallel = also_right;
    parallel.threaded = true;
    request.chosen = {{&right, {}, true}, {&parallel, {}, true}};
    request.slowest_run_s = 1;
    request.threads = {1};
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    for (results::result& c : doc.results) c.median_gflops = 1e-9;
    request.threads = {2};
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    ASSERT_EQ(doc.results.size(), 8u);
    EXPECT_FALSE(doc.results[4].available);  // one thread is all that it uses
    EXPECT_TRUE(doc.results[5].available) << doc.results[5].reason;
}

TEST_F(sessions, rotated_inputs_verify_and_time_as_well) {
    request.rotate_inputs = true;
    EXPECT_EQ(result(run_first(), "test.right").trials_s.size(), 3u);
}

TEST_F(sessions, an_interrupted_session_resumes_where_it_stopped) {
    const test::scratch_folder folder;
    const session::outputs out{folder.path() / "r.json", folder.path() / "r.csv"};
    int cases = 0;
    user.case_done = [&](const auto&, const auto&) { ++cases; };
    user.interrupted = [&] { return cases == 1; };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_FALSE(session::run_session(request, machine, limits, out, user, doc));

    results::document back = results::load(out.json);
    EXPECT_FALSE(back.complete);
    EXPECT_EQ(back.results.size(), 5u);
    user.interrupted = {};
    session::require_resumable(back, session::new_document(request, machine, limits, "test"),
                               "a.json");
    EXPECT_TRUE(session::run_session(request, machine, limits, out, user, back));
    EXPECT_EQ(cases, 2);
    EXPECT_TRUE(results::load(out.json).complete);
    EXPECT_EQ(results::load(out.json).results.size(), 10u);
}

TEST_F(sessions, a_case_cut_short_is_measured_again_whole) {
    int trials = 0;
    user.progress = [&](const std::string& what, double) {
        trials += what.find("trial") != std::string::npos ? 1 : 0;
    };
    user.interrupted = [&] { return trials >= 2; };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_FALSE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_EQ(doc.results.size(), 5u);
    EXPECT_EQ(doc.results[0].stop, "interrupted");
    user.interrupted = {};
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_EQ(doc.results.size(), 10u);
    EXPECT_EQ(doc.comparisons.size(), 2u);
    EXPECT_EQ(doc.results[0].stop, "trials");
}

TEST_F(sessions, progress_never_goes_back) {
    std::vector<double> told;
    user.progress = [&](const std::string&, double share) { told.push_back(share); };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_GT(told.back(), 0.9);
    EXPECT_LE(told.back(), 1);
}

TEST_F(sessions, a_case_whose_phases_were_cut_short_is_measured_again) {
    int cases = 0;
    user.case_done = [&](const auto&, const auto&) { ++cases; };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    cases = 0;
    doc.results[0].end_to_end.emplace().stop = "trials";
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_EQ(cases, 0);
    doc.results[0].end_to_end->stop = "interrupted";
    EXPECT_TRUE(session::run_session(request, machine, limits, {}, user, doc));
    EXPECT_EQ(cases, 1);
}

TEST_F(sessions, resuming_with_other_data_or_another_machine_is_refused) {
    const auto before = session::new_document(request, machine, limits, "test");
    request.seed = 2;
    EXPECT_THROW(session::require_resumable(
                     before, session::new_document(request, machine, limits, "test"), "a.json"),
                 error);
    request.seed = 1;
    machine.cpu_model = "another";
    EXPECT_THROW(session::require_resumable(
                     before, session::new_document(request, machine, limits, "test"), "a.json"),
                 error);
}

}  // namespace
