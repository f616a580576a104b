// Implementations that share the process of a GPU: a fake one, whose memory is the process's own.
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

#include "fakes.hpp"
#include "lab/space/execution_space.hpp"

namespace {

using namespace carat;
using namespace carat::fakes;

// Belongs to one process, like a context: once it is spoiled every call fails.
class fake_gpu final : public space::execution_space {
  public:
    bool spoilt = false;

    void* allocate(std::size_t size_bytes) override {
        require_sound();
        return std::malloc(size_bytes);
    }
    void deallocate(void* memory) noexcept override { std::free(memory); }
    void upload(void* target, const void* host, std::size_t size_bytes) override {
        require_sound();
        std::memcpy(target, host, size_bytes);
    }
    void download(void* host, const void* source, std::size_t size_bytes) override {
        upload(host, source, size_bytes);
    }
    [[nodiscard]] std::size_t available_bytes() const override { return std::size_t{1} << 30; }
    [[nodiscard]] std::size_t cache_bytes() const override { return 1000; }
    [[nodiscard]] double time_s(const std::function<void()>& work) override {
        require_sound();
        return space::host_space().time_s(work);
    }

  private:
    void require_sound() const {
        if (spoilt) throw std::runtime_error("an illegal address was used");
    }
};

// How often anybody used it from the process of the test.
int used_here = 0;
pid_t test_process = 0;

fake_gpu& the_gpu() {
    static fake_gpu one;
    used_here += getpid() == test_process ? 1 : 0;
    return one;
}

// Which product ran, and in which process, visible to all.
struct seen {
    std::atomic<int> processes, most_rows, rows_of_this;
    std::atomic<pid_t> last;
};

seen& saw() {
    static seen& shared = *new (mmap(nullptr, sizeof(seen), PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0)) seen{};
    return shared;
}

void count_processes() {
    if (saw().last.exchange(getpid()) != getpid()) {
        ++saw().processes;
        saw().rows_of_this = 0;
    }
    if (++saw().rows_of_this > saw().most_rows) saw().most_rows = saw().rows_of_this.load();
}

template <void (*After)(int, const core::problem&, const core::operands&)>
std::unique_ptr<rows::runnable> prepare_there(const core::problem& p, const core::settings& s) {
    count_processes();
    return prepare<After>(p, s);
}

void nothing(int, const core::problem&, const core::operands&) {}

// What the verification of one process runs: two exact passes and the timed data.
constexpr int of_verification = 3;

void crash_at_once(int, const core::problem&, const core::operands&) {
    crash();
}
void crash_later(int run, const core::problem&, const core::operands&) {
    if (run > of_verification) crash();
}
void crash_in_a_later_process(int, const core::problem&, const core::operands&) {
    if (saw().processes > 1) crash();
}
void spoil_the_gpu(int run, const core::problem&, const core::operands&) {
    if (run <= of_verification) return;
    the_gpu().spoilt = true;
    throw std::runtime_error("an illegal address was used");
}
// Heard of when the next one asks.
void spoil_the_gpu_quietly(int, const core::problem&, const core::operands&) {
    the_gpu().spoilt = true;
}
void fail_alone(int run, const core::problem&, const core::operands&) {
    if (run > of_verification) throw std::runtime_error("no memory for it");
}
void hang(int run, const core::problem&, const core::operands&) {
    while (run > 1) pause();
}
void leave(int run, const core::problem&, const core::operands&) {
    if (run > 1) _exit(3);
}
void wrong_at_last(int run, const core::problem&, const core::operands& data) {
    if (run > of_verification) *static_cast<double*>(data.c) = 0.5;
}

rows::implementation there(const char* name, decltype(rows::implementation::prepare) ready) {
    return fake(name, ready, rows::device::cuda);
}

const rows::implementation one = there("test.one", prepare_there<nothing>);
const rows::implementation two = there("test.two", prepare_there<nothing>);
const rows::implementation host = fake("test.host", prepare<nothing>);
const rows::implementation early = there("test.early", prepare_there<crash_at_once>);
const rows::implementation late = there("test.late", prepare_there<crash_later>);
const rows::implementation second = there("test.second", prepare_there<crash_in_a_later_process>);
const rows::implementation spoiler = there("test.spoiler", prepare_there<spoil_the_gpu>);
const rows::implementation quiet = there("test.quiet", prepare_there<spoil_the_gpu_quietly>);
const rows::implementation failing = there("test.failing", prepare_there<fail_alone>);
const rows::implementation hanging = there("test.hanging", prepare_there<hang>);
const rows::implementation leaving = there("test.leaving", prepare_there<leave>);
const rows::implementation drifting = there("test.drifting", prepare_there<wrong_at_last>);

class device_process : public testing::Test {
  protected:
    void SetUp() override {
        test_process = getpid();
        used_here = 0;
        told().prepared = told().runs = 0;
        saw().processes = saw().most_rows = saw().rows_of_this = saw().last = 0;
        request.shapes = {{6, 5, 4}};
        request.timing.trials = 6;
        request.timing.min_trial_s = 1e-6;
        request.timing.settle_s = 1e-6;
        request.processes = 3;
        request.measure_energy = false;
        around.device_space = []() -> space::execution_space& { return the_gpu(); };
        around.sensors = [] { return session::gpu_sensors{}; };
        around.start = [this](int memory, const rows::implementation*) {
            return forked_with(memory, space);
        };
    }

    void TearDown() override { EXPECT_TRUE(children().empty()); }

    session::case_result measure(const std::vector<const rows::implementation*>& chosen) {
        choose(request, chosen);
        return session::run_case(request, request::cases_of(request).front(), around);
    }

    void expect_whole(const results::result& r) const {
        EXPECT_EQ(r.reason, "") << r.implementation;
        EXPECT_TRUE(r.verified);
        EXPECT_EQ(r.trials_s.size(), 6u);
        EXPECT_EQ(r.trials_per_process, (std::vector<std::int64_t>{2, 2, 2}));
    }

    const workers::find_space space = [](int) -> space::execution_space& { return the_gpu(); };
    request::measurement request;
    machine::description machine;
    machine::peaks limits;
    session::surroundings around{machine, limits, {}, {}, {}, {}};
};

TEST_F(device_process, is_one_for_all_and_a_new_one_in_each_generation) {
    const session::case_result r = measure({&one, &host, &two});
    for (const results::result& each : r.results) expect_whole(each);
    EXPECT_EQ(saw().processes, 3);
    EXPECT_EQ(saw().most_rows, 2);
    EXPECT_EQ(r.results[0].exact_passes, 5 + 2 * 2);
    EXPECT_EQ(r.results[0].vendor.note, "a note");
    EXPECT_TRUE(r.results[0].hand_over_s);
    EXPECT_FALSE(r.results[0].waiting_share);
    EXPECT_EQ(used_here, 0) << "this process used the GPU, too";
}

TEST_F(device_process, without_processes_the_gpu_is_used_from_here) {
    request.processes = 0;
    const session::case_result r = measure({&one, &two});
    EXPECT_EQ(r.results[0].trials_s.size(), 6u);
    EXPECT_TRUE(r.results[0].trials_per_process.empty());
    EXPECT_GT(used_here, 0);
}

TEST_F(device_process, who_breaks_it_costs_its_row_and_the_others_have_all_their_trials) {
    request.patience_s = 2;
    const auto reason_of = [&](const rows::implementation& bad) {
        const session::case_result r = measure({&one, &bad, &host, &two});
        for (const std::size_t i : {0u, 2u, 3u}) expect_whole(r.results[i]);
        EXPECT_TRUE(r.results[1].trials_s.empty());
        EXPECT_FALSE(r.results[1].available);
        EXPECT_FALSE(r.interrupted);
        return r.results[1].reason;
    };
    EXPECT_EQ(reason_of(early), "the process ended by SIGSEGV in its first product");
    EXPECT_EQ(reason_of(late), "the process ended by SIGSEGV in a later product");
    EXPECT_EQ(reason_of(leaving), "the process exited with status 3 in a later product");
    EXPECT_TRUE(reason_of(hanging).starts_with("the process gave no answer within 2"));
    EXPECT_EQ(reason_of(spoiler), "an illegal address was used");
    EXPECT_EQ(reason_of(quiet), "an illegal address was used");
    EXPECT_EQ(reason_of(failing), "no memory for it");
}

TEST_F(device_process, who_breaks_a_later_one_costs_no_other) {
    const session::case_result r = measure({&one, &second, &two});
    expect_whole(r.results[0]);
    expect_whole(r.results[2]);
    EXPECT_EQ(r.results[1].reason,
              "in process 2: the process ended by SIGSEGV in its first product");
    EXPECT_TRUE(r.results[1].trials_s.empty());
}

TEST_F(device_process, an_error_of_one_product_does_not_end_it) {
    const session::case_result r = measure({&one, &failing});
    expect_whole(r.results[0]);
    EXPECT_EQ(saw().processes, 3);
}

TEST_F(device_process, who_is_wrong_after_trials_has_no_figures) {
    const session::case_result r = measure({&one, &drifting});
    expect_whole(r.results[0]);
    EXPECT_TRUE(r.results[1].reason.starts_with("after the last trial before process 2: "))
        << r.results[1].reason;
    EXPECT_TRUE(r.results[1].trials_s.empty());
}

TEST_F(device_process, ends_with_an_interruption) {
    int taken = 0;
    around.progress = [&](const std::string& what, double) {
        taken += what.find(", trial ") != std::string::npos ? 1 : 0;
    };
    around.interrupted = [&] { return taken >= 5; };
    const session::case_result r = measure({&one, &two});
    EXPECT_TRUE(r.interrupted);
    EXPECT_EQ(r.results[0].trials_s.size() + r.results[1].trials_s.size(), 5u);
    EXPECT_TRUE(children().empty());
}

}  // namespace
