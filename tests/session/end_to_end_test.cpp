// The sequence of a product on a device, on a device made for the purpose: what happens in which
// order, where the time goes, and what becomes of failures.
#include "lab/session/end_to_end.hpp"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "lab/session/phase_trials.hpp"

namespace {

using namespace carat;

// Memory of the host with a log and a clock of its own: each call takes a time that tells it apart.
class toy_device final : public space::execution_space {
  public:
    void* allocate(std::size_t size_bytes) override {
        if (allocated == capacity) throw error(error_code::out_of_memory, "the toy is full");
        ++allocated;
        pass('a', 1);
        return std::malloc(size_bytes);
    }
    void deallocate(void* memory) noexcept override {
        --allocated;
        pass('f', 0.125);
        std::free(memory);
    }
    void upload(void* target, const void* host, std::size_t size_bytes) override {
        pass('u', 10);
        std::memcpy(target, host, size_bytes);
    }
    void download(void* host, const void* source, std::size_t size_bytes) override {
        pass('d', 20);
        std::memcpy(host, source, size_bytes);
    }
    void wait() override { pass('w', 0.5); }
    void pin(void*, std::size_t) override { ++pinned; }
    void unpin(void*) noexcept override { --pinned; }
    [[nodiscard]] std::size_t available_bytes() const override { return 0; }
    double time_s(const std::function<void()>& work) override {
        const double start_s = now_s;
        work();
        return now_s - start_s;
    }

    void pass(char letter, double time_s) {
        log += letter;
        now_s += time_s;
    }

    std::string log;
    double now_s = 0;
    int allocated = 0, capacity = 100, pinned = 0;
};

// C = A, once through a conversion that takes 100 s and once through a "product" of 200 s.
class toy_product final : public rows::runnable {
  public:
    explicit toy_product(toy_device& device) : device_(device) {}

    void run(const core::operands& data) override {
        convert();
        multiply(data);
    }
    std::vector<rows::stage> stages() override {
        return {{"convert", [this](const core::operands&) { convert(); }},
                {"compute", [this](const core::operands& data) { multiply(data); }}};
    }

  private:
    void convert() { device_.pass('c', 100); }
    void multiply(const core::operands& data) {
        device_.pass('m', 200);
        *static_cast<double*>(data.c) = *static_cast<const double*>(data.a);
    }

    toy_device& device_;
};

class end_to_end : public testing::Test {
  protected:
    session::end_to_end sequence() {
        return {
            problem, device, product, {&a, &b, &c}, measure::laps([this] { return device.now_s; })};
    }

    toy_device device;
    toy_product product{device};
    core::problem problem = core::row_major_problem(dtype::f64, 1, 1, 1);
    double a = 3, b = 4, c = 0;
};

TEST_F(end_to_end, goes_from_host_to_host_and_gives_everything_back) {
    sequence().run();
    EXPECT_EQ(device.log, "aaauucwmwdfff");
    EXPECT_EQ(c, 3);
    EXPECT_EQ(device.allocated, 0);
}

TEST_F(end_to_end, copies_c_in_only_where_the_product_reads_it) {
    problem.beta = 1;
    sequence().run();
    EXPECT_EQ(device.log, "aaauuucwmwdfff");
}

TEST_F(end_to_end, every_phase_gets_its_time_and_their_sum_is_the_total) {
    session::end_to_end whole = sequence();
    measure::candidate timed = whole.candidate();
    timed.space = &device;  // the toy's clock
    measure::options how;
    how.trials = 4;
    const double estimate[] = {1};
    const auto series = measure::interleave({&timed, 1}, estimate, how);
    const results::phases p = whole.phases(series[0], 1);
    std::vector<std::string> names;
    double sum_s = 0;
    for (const results::phase& part : p.parts) {
        names.push_back(part.name);
        sum_s += part.median_s;
    }
    EXPECT_EQ(names,
              (std::vector<std::string>(results::phase_names.begin(), results::phase_names.end())));
    EXPECT_DOUBLE_EQ(p.find("allocate")->median_s, 3);
    EXPECT_DOUBLE_EQ(p.find("copy_in")->median_s, 20);
    EXPECT_DOUBLE_EQ(p.find("convert")->median_s, 100.5);
    EXPECT_DOUBLE_EQ(p.find("compute")->median_s, 200.5);
    EXPECT_DOUBLE_EQ(p.find("copy_out")->median_s, 20);
    EXPECT_DOUBLE_EQ(p.find("free")->median_s, 0.375);
    EXPECT_DOUBLE_EQ(p.total.median_s, sum_s);
    EXPECT_EQ(p.total_trials_s.size(), 4u);
    EXPECT_EQ(p.stop, "trials");
}

TEST_F(end_to_end, a_product_of_one_stage_is_all_compute) {
    class plain final : public rows::runnable {
        void run(const core::operands&) override {}
    } one;
    const auto stages = one.stages();
    ASSERT_EQ(stages.size(), 1u);
    EXPECT_EQ(stages[0].name, "compute");
}

class phase_trials : public end_to_end {
  protected:
    results::phases enter(request::host_memory where, const std::string& complaint) {
        session::phase_trials trials(problem, where, 1);
        trials.enter(result, device, product, {&a, &b, &c}, [&](const void* back) {
            pinned_then = device.pinned;
            EXPECT_EQ(*static_cast<const double*>(back), 3);
            return complaint;
        });
        std::vector<measure::candidate> candidates;
        std::vector<double> estimates_s;
        trials.join(candidates, estimates_s);
        joined = candidates.size();
        return *result.end_to_end;
    }

    results::result result;
    std::size_t joined = 0;
    int pinned_then = 0;
};

TEST_F(phase_trials, take_only_sequences_whose_result_is_right) {
    EXPECT_EQ(enter(request::host_memory::pageable, "").host_memory, "pageable");
    EXPECT_EQ(joined, 1u);
    EXPECT_EQ(pinned_then, 0);
    EXPECT_EQ(enter(request::host_memory::pageable, "wrong by 1").reason, "wrong by 1");
    EXPECT_EQ(joined, 0u);
}

TEST_F(phase_trials, that_never_begin_say_that_they_were_interrupted) {
    const results::phases untimed = enter(request::host_memory::pageable, "");
    EXPECT_EQ(untimed.reason, "interrupted before it was timed");
    EXPECT_EQ(untimed.stop, "interrupted");
}

TEST_F(phase_trials, pin_all_three_matrices_when_asked_and_let_go_of_them) {
    EXPECT_EQ(enter(request::host_memory::pinned, "").host_memory, "pinned");
    EXPECT_EQ(pinned_then, 3);
    EXPECT_EQ(device.pinned, 0);
}

TEST_F(phase_trials, say_why_when_the_device_is_full_and_leave_nothing_there) {
    device.capacity = 2;
    EXPECT_EQ(enter(request::host_memory::pageable, "").reason, "the toy is full");
    EXPECT_EQ(joined, 0u);
    EXPECT_EQ(device.allocated, 0);
}

}  // namespace
