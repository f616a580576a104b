// What a run leaves on disk while it lasts and when it is killed, and what that costs.
#include "lab/session/saver.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <carat/error.hpp>

#include "lab/results/files.hpp"
#include "lab/session/session.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;
namespace fs = std::filesystem;

constexpr core::signature f64_only[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"}};
const rows::implementation absent{.name = "test.absent",
                                  .summary = "",
                                  .signatures = f64_only,
                                  .unavailable = [] { return std::string("not installed"); },
                                  .prepare = nullptr};

class savers : public testing::Test {
  protected:
    void SetUp() override {
        request.chosen = {{&absent, {}, true}};
        machine.cores = 2;
    }

    void ask_for(std::int64_t cases) {
        request.shapes.clear();
        for (std::int64_t n = 1; n <= cases; ++n) request.shapes.push_back({n, n, n});
    }
    [[nodiscard]] results::document empty() const {
        return session::new_document(request, machine, {}, "test");
    }
    bool run(results::document& doc) const {
        return session::run_session(request, machine, {}, out, user, doc);
    }
    [[nodiscard]] std::size_t files_left() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    // Runs in a process that is killed without a chance to save anything.
    void be_killed_after(int cases) {
        const pid_t child = fork();
        if (child == 0) {
            user.case_done = [&](const auto&, const auto&) {
                if (--cases == 0) raise(SIGKILL);
            };
            auto doc = empty();
            (void)run(doc);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }

    const test::scratch_folder own;
    const fs::path& folder = own.path();
    session::outputs out{folder / "r.json", folder / "r.csv"};
    request::measurement request;
    session::hooks user;
    machine::description machine;
};

TEST_F(savers, a_killed_run_leaves_every_case_it_measured_and_is_resumed) {
    ask_for(30);
    for (const int cases : {1, 2, 3, 7, 8, 9, 23}) {
        be_killed_after(cases);
        const results::document left = results::load(out.json);
        EXPECT_EQ(left.results.size(), static_cast<std::size_t>(cases));
        EXPECT_EQ(left.comparisons.size(), static_cast<std::size_t>(cases));
        EXPECT_FALSE(left.complete);
    }
    results::document doc = empty();
    doc.results = results::load(out.json).results;
    int measured = 0;
    user.case_done = [&](const auto&, const auto&) { ++measured; };
    EXPECT_TRUE(run(doc));
    EXPECT_EQ(measured, 7);
    EXPECT_TRUE(results::load(out.json).complete);
    EXPECT_EQ(results::load(out.json).results.size(), 30U);
    EXPECT_EQ(files_left(), 2U);  // no journal
}

TEST_F(savers, a_resumed_run_with_nothing_left_to_measure_removes_the_journal) {
    ask_for(7);
    be_killed_after(7);
    EXPECT_EQ(files_left(), 3U);
    results::document doc = empty();
    doc.results = results::load(out.json).results;
    EXPECT_TRUE(run(doc));
    EXPECT_EQ(results::load(out.json).results.size(), 7U);
    EXPECT_EQ(files_left(), 2U);
}

TEST_F(savers, another_run_is_not_told_what_a_killed_one_left) {
    ask_for(9);
    be_killed_after(7);
    user.interrupted = [n = 0]() mutable { return n++ == 2; };
    auto doc = empty();
    doc.date = "2026-11-24T12:00:01Z";
    EXPECT_FALSE(run(doc));
    EXPECT_EQ(results::load(out.json).results.size(), 2U);
    EXPECT_EQ(files_left(), 2U);
}

TEST_F(savers, an_error_between_cases_leaves_the_whole_document) {
    ask_for(9);
    user.case_done = [n = 0](const auto&, const auto&) mutable {
        if (++n == 7) throw error(error_code::unsupported, "the reader has gone");
    };
    auto doc = empty();
    EXPECT_THROW((void)run(doc), error);
    EXPECT_EQ(results::load(out.json).results.size(), 7U);
    EXPECT_EQ(files_left(), 2U);
}

TEST_F(savers, what_is_written_grows_with_the_cases_and_not_with_their_square) {
    const auto bytes_of = [&](std::int64_t cases) {
        results::document doc = empty();
        session::saver saver(doc, out);
        for (std::int64_t n = 1; n <= cases; ++n) {
            results::result c;
            c.dtype = "f64";
            c.m = c.n = c.k = n;
            results::comparison compared;
            compared.dtype = "f64";
            compared.m = compared.n = compared.k = n;
            doc.results.push_back(c);
            doc.comparisons.push_back(compared);
            saver.add({&c, 1}, compared);
        }
        saver.finish();
        return static_cast<double>(saver.bytes_written());
    };
    EXPECT_LT(bytes_of(1024), 5 * bytes_of(256));  // 16 times, were each case to write all
}

}  // namespace
