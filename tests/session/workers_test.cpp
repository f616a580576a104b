// Cases whose implementations have their own processes: some work, others crash, hang, exit or
// spin. They are forked, since no command knows them.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "fakes.hpp"
#include "lab/machine/affinity.hpp"
#include "lab/results/files.hpp"
#include "lab/session/session.hpp"
#include "lab/session/trials.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;
using namespace carat::fakes;

void nothing(int, const core::problem&, const core::operands&) {}

void crash_at_once(int, const core::problem&, const core::operands&) {
    crash();
}

void crash_in_the_middle(int run, const core::problem&, const core::operands&) {
    if (run > 3) crash();  // three are of the verification
}

void leave(int, const core::problem&, const core::operands&) {
    _exit(3);
}

void hang(int run, const core::problem&, const core::operands&) {
    while (run > 1) pause();
}

// Invalid bytes on the channel, which no library should know, instead of an answer.
void babble(int, const core::problem&, const core::operands&) {
    (void)!write(channel_of_this_process, "rubbish", 7);
}

void wrong_in_a_later_process(int, const core::problem&, const core::operands& data) {
    if (told().prepared > 1) *static_cast<double*>(data.c) = 0.5;
}

// What lies after the first line of a padded C.
void write_between_lines(int, const core::problem& p, const core::operands& data) {
    static_cast<double*>(data.c)[p.n] = 0;
}

void start_a_pool(int run, const core::problem&, const core::operands&) {
    if (run == 1)
        std::thread([] {
            for (;;) ++told().spins;
        }).detach();
}

// Long enough for a pool that runs to be seen, however busy the machine is.
void look_for_a_pool(int, const core::problem&, const core::operands&) {
    const std::int64_t before = told().spins;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (told().spins != before) ++told().disturbed;
}

// Two threads share a processor and give it up in turns: each waits for the other, and the system
// counts it as displaced, as it does where another process takes the processor.
void share_a_processor(int, const core::problem&, const core::operands&) {
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    std::atomic<int> there = 0;
    const auto give_way = [&one, &there] {
        sched_setaffinity(0, sizeof one, &one);
        for (++there; there < 2;) sched_yield();
        for (int i = 0; i < 3000; ++i) sched_yield();
    };
    std::thread other(give_way);
    give_way();
    other.join();
    sched_setaffinity(0, sizeof before, &before);
}

// Endless loops of another process, one on each processor.
class foreign_load {
  public:
    foreign_load() {
        for (std::size_t cpu : machine_cpus()) loops_.push_back(start_loop(cpu));
    }
    foreign_load(const foreign_load&) = delete;
    foreign_load& operator=(const foreign_load&) = delete;
    ~foreign_load() {
        for (const pid_t loop : loops_) {
            kill(loop, SIGKILL);
            waitpid(loop, nullptr, 0);
        }
    }

  private:
    static std::vector<std::size_t> machine_cpus() {
        cpu_set_t allowed;
        sched_getaffinity(0, sizeof allowed, &allowed);
        std::vector<std::size_t> all;
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &allowed)) all.push_back(cpu);
        return all;
    }

    static pid_t start_loop(std::size_t cpu) {
        const pid_t loop = fork();
        if (loop != 0) return loop;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        for (;;) sched_getcpu();
    }

    std::vector<pid_t> loops_;
};

std::unique_ptr<rows::runnable> crash_early(const core::problem&, const core::settings&) {
    crash();
    return nullptr;
}

const rows::implementation right = fake("test.right", prepare<nothing>);
const rows::implementation also_right = fake("test.also", prepare<nothing>);
const rows::implementation crashing = fake("test.crashing", prepare<crash_at_once>);
const rows::implementation dying = fake("test.dying", prepare<crash_in_the_middle>);
const rows::implementation unready = fake("test.unready", crash_early);
const rows::implementation leaving = fake("test.leaving", prepare<leave>);
const rows::implementation hanging = fake("test.hanging", prepare<hang>);
const rows::implementation babbling = fake("test.babbling", prepare<babble>);
const rows::implementation drifting = fake("test.drifting", prepare<wrong_in_a_later_process>);
const rows::implementation spilling = fake("test.spilling", prepare<write_between_lines>);
const rows::implementation spinner = fake("test.spinner", prepare<start_a_pool>);
const rows::implementation sharing = fake("test.sharing", prepare<share_a_processor>);
const rows::implementation witness = fake("test.witness", prepare<look_for_a_pool>);

// A library is opened in its own process, so that one that crashes while loading does so there.
rows::library_facts crash_when_asked() {
    crash();
    return {};
}

rows::library_facts facts() {
    return {"fake", std::to_string(getpid()), "/fake.so", "kernel", "a library's note"};
}

class workers : public testing::Test {
  protected:
    void SetUp() override {
        told().prepared = told().runs = told().disturbed = 0;
        told().spins = 0;
        request.shapes = {{6, 5, 4}};
        request.timing.trials = 6;
        request.timing.min_trial_s = 1e-6;
        request.timing.settle_s = 1e-6;
        request.processes = 3;
        machine.cores = 2;
        around.start = forked;
    }

    void TearDown() override { EXPECT_TRUE(children().empty()); }

    session::case_result measure(std::vector<const rows::implementation*> chosen) {
        choose(request, chosen);
        return session::run_case(request, request::cases_of(request).front(), around);
    }

    request::measurement request;
    machine::description machine;
    machine::peaks limits;
    session::surroundings around{machine, limits, {}, {}, {}, {}};
};

TEST_F(workers, trials_of_all_processes_are_one_list_and_add_up) {
    request.timing.trials = 8;
    const results::result r = measure({&right, &also_right}).results[0];
    EXPECT_EQ(r.reason, "");
    EXPECT_EQ(r.trials_s.size(), 8u);
    EXPECT_EQ(r.trials_per_process, (std::vector<std::int64_t>{3, 3, 2}));
    EXPECT_EQ(r.stop, "trials");
    EXPECT_EQ(told().prepared, 6);  // two implementations, three processes each
    EXPECT_EQ(r.threads_used, 3);
    EXPECT_EQ(r.vendor.note, "a note");
    EXPECT_EQ(r.plan, "a plan");
    EXPECT_GT(r.prepare_s, 0);
    EXPECT_GT(r.cold_s, 0);
    ASSERT_TRUE(r.hand_over_s);
    EXPECT_GT(*r.hand_over_s, 0);
    // Five as without processes; in each change one after the last trial and one before the first.
    EXPECT_EQ(r.exact_passes, 5 + 2 * 2);
}

TEST_F(workers, fewer_trials_than_processes_are_one_each) {
    request.timing.trials = 2;
    EXPECT_EQ(measure({&right}).results[0].trials_per_process, (std::vector<std::int64_t>{1, 1}));
}

TEST_F(workers, without_processes_nothing_is_started) {
    request.processes = 0;
    const results::result r = measure({&right}).results[0];
    EXPECT_EQ(r.trials_s.size(), 6u);
    EXPECT_TRUE(r.trials_per_process.empty());
    EXPECT_EQ(told().prepared, 1);
}

TEST_F(workers, who_crashes_exits_hangs_or_babbles_costs_its_row_and_no_other) {
    request.patience_s = 5;
    const session::case_result r =
        measure({&crashing, &unready, &leaving, &hanging, &babbling, &dying, &right});
    const auto reason = [&](std::size_t i) { return r.results[i].reason; };
    EXPECT_EQ(reason(0), "the process ended by SIGSEGV in its first product");
    EXPECT_EQ(reason(1), "the process ended by SIGSEGV while it was made ready");
    EXPECT_EQ(reason(2), "the process exited with status 3 in its first product");
    EXPECT_TRUE(reason(3).starts_with("the process gave no answer within 5")) << reason(3);
    EXPECT_EQ(reason(4), "the process sent something that is no answer in its first product");
    EXPECT_EQ(reason(5), "the process ended by SIGSEGV in a later product");
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_FALSE(r.results[i].available);
        EXPECT_TRUE(r.results[i].trials_s.empty());
        EXPECT_TRUE(r.results[i].trials_per_process.empty());
    }
    EXPECT_EQ(r.results[6].reason, "");
    EXPECT_EQ(r.results[6].trials_s.size(), 6u);
    EXPECT_FALSE(r.interrupted);
}

TEST_F(workers, a_library_is_asked_for_in_its_process) {
    rows::implementation vendor = right;
    vendor.name = "test.vendor";
    vendor.library = facts;
    rows::implementation broken = right;
    broken.name = "test.broken";
    broken.library = crash_when_asked;
    const session::case_result r = measure({&vendor, &broken});
    EXPECT_EQ(r.results[0].vendor.name, "fake");
    EXPECT_NE(r.results[0].vendor.version, std::to_string(getpid()));
    EXPECT_EQ(r.results[0].vendor.note, "a library's note; a note");
    EXPECT_EQ(r.results[0].trials_s.size(), 6u);
    EXPECT_EQ(r.results[1].reason, "the process ended by SIGSEGV while its library was loaded");
}

TEST_F(workers, each_process_is_verified_before_its_trials_count) {
    const results::result r = measure({&drifting}).results[0];
    EXPECT_TRUE(r.reason.starts_with("in process 2: ")) << r.reason;
    EXPECT_FALSE(r.verified);
    EXPECT_TRUE(r.trials_s.empty());
    EXPECT_TRUE(r.trials_per_process.empty());
}

TEST_F(workers, what_is_written_between_lines_of_c_is_found) {
    request.stored.pad = 3;
    const session::case_result r = measure({&right, &spilling});
    EXPECT_EQ(r.results[0].reason, "");
    EXPECT_EQ(r.results[1].reason, "element 0 after line 0 of C was overwritten: it is padding");
    EXPECT_FALSE(r.results[1].verified);
}

TEST_F(workers, a_pool_that_spins_runs_beside_nobody) {
    const session::case_result r = measure({&spinner, &witness});
    EXPECT_EQ(r.results[0].reason, "");
    EXPECT_EQ(r.results[1].reason, "");
    EXPECT_GT(told().spins, 0);
    EXPECT_EQ(told().disturbed, 0);
}

// Accounts of a process that works a second between two looks and is displaced so often, on two
// processors, of which others took this share; none: unknown.
std::function<measure::work_probe()> each_second(std::int64_t displaced,
                                                 std::optional<double> others) {
    return [displaced, others] {
        const auto looks = std::make_shared<int>(0);
        return measure::work_probe{[looks] { return 1.0 * ++*looks; },
                                   [looks] { return 1.0 * *looks; },
                                   [looks, others]() -> std::optional<measure::processor_use> {
                                       if (!others) return {};
                                       return measure::processor_use{*looks * (1 + 2 * *others), 0};
                                   },
                                   [looks, displaced] { return displaced * *looks; }, 2};
    };
}

// This process is woken and descheduled hundreds of times a second between short trials. That
// disturbs no worker, but it would disturb work in this process.
TEST_F(workers, what_this_process_loses_counts_where_it_does_the_work) {
    around.probe = each_second(100'000, {});
    const auto says_so = [](const std::string& busy) {
        return busy.find("lost their processors") != std::string::npos;
    };
    EXPECT_FALSE(says_so(measure({&right}).results[0].busy));
    request.processes = 0;
    EXPECT_TRUE(says_so(measure({&right}).results[0].busy));
}

TEST_F(workers, whose_processors_others_take_are_called_busy) {
    const foreign_load others;
    request.timing.min_trial_s = 0.1;  // beyond a slice of theirs
    around.probe = [] { return measure::processor_time(machine::allowed_cpus()); };
    const results::result r = measure({&right}).results[0];
    if (!r.background_cpu_share) GTEST_SKIP() << "the system does not tell what others take";
    EXPECT_NE(r.busy, "") << r.reason;
    EXPECT_EQ(r.remark, "");
}

// It happens at any time, so a verdict may rest on it.
TEST_F(workers, whose_threads_wait_for_one_another_are_not_called_busy_but_remarked_on) {
    around.probe = each_second(0, 0.001);
    const results::result r = measure({&sharing}).results[0];
    ASSERT_EQ(r.trials_displaced.size(), r.trials_s.size());
    EXPECT_GT(*std::ranges::min_element(r.trials_displaced), 1000);
    if (!r.waiting_share) GTEST_SKIP() << "the system does not tell who waits";
    EXPECT_EQ(r.busy, "");
    EXPECT_TRUE(r.ranked());
    EXPECT_TRUE(r.remark.starts_with("its threads waited for one another")) << r.remark;
}

TEST_F(workers, whose_threads_wait_for_nobody_knows_whom_are_called_busy) {
    around.probe = each_second(0, {});
    EXPECT_NE(measure({&sharing}).results[0].busy, "");
}

TEST_F(workers, an_interruption_keeps_the_trials_so_far_and_leaves_nobody_behind) {
    int taken = 0;
    around.progress = [&](const std::string& what, double) {
        taken += what.find(", trial ") != std::string::npos ? 1 : 0;
    };
    around.interrupted = [&] { return taken >= 5; };
    const session::case_result r = measure({&right, &also_right});
    EXPECT_TRUE(r.interrupted);
    for (const results::result& one : r.results) {
        EXPECT_EQ(std::accumulate(one.trials_per_process.begin(), one.trials_per_process.end(),
                                  std::int64_t{0}),
                  static_cast<std::int64_t>(one.trials_s.size()));
        EXPECT_EQ(one.stop, "interrupted");
    }
    EXPECT_EQ(r.results[0].trials_s.size() + r.results[1].trials_s.size(), 5u);
    EXPECT_TRUE(children().empty());
}

TEST_F(workers, what_is_written_is_read_back_and_resumed) {
    const test::scratch_folder folder;
    const session::outputs out{folder.path() / "r.json", folder.path() / "r.csv"};
    choose(request, {&right, &also_right});
    request.shapes = {{6, 5, 4}, {4, 5, 6}};
    int cases = 0;
    session::hooks user;
    user.start = forked;
    user.case_done = [&](const auto&, const auto&) { ++cases; };
    user.interrupted = [&] { return cases == 1; };
    auto doc = session::new_document(request, machine, limits, "test");
    EXPECT_FALSE(session::run_session(request, machine, limits, out, user, doc));
    results::document back = results::load(out.json);
    EXPECT_EQ(back.settings["processes"], 3);
    EXPECT_EQ(back.results[0].trials_per_process, (std::vector<std::int64_t>{2, 2, 2}));
    EXPECT_TRUE(back.results[0].hand_over_s);
    user.interrupted = {};
    EXPECT_TRUE(session::run_session(request, machine, limits, out, user, back));
    EXPECT_EQ(cases, 2);
    EXPECT_EQ(results::load(out.json).results.size(), 4u);
}

TEST(share_of, divides_trials_and_budget_among_generations) {
    measure::options whole;
    whole.trials = 11;
    whole.budget_s = 5;
    int trials = 0;
    double budget_s = 0;
    for (int g = 0; g < 4; ++g) {
        const measure::options part = session::share_of(whole, g, 4);
        trials += part.trials;
        budget_s += part.budget_s;
        EXPECT_GE(part.fewest_trials, 5);
        EXPECT_NE(part.seed, session::share_of(whole, (g + 1) % 4, 4).seed);
    }
    EXPECT_EQ(trials, 11);
    EXPECT_DOUBLE_EQ(budget_s, 5);
    EXPECT_EQ(session::share_of(whole, 0, 1).fewest_trials, whole.fewest_trials);
}

}  // namespace
