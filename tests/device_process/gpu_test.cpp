// An implementation that breaks the process shared by all rows of a real GPU loses its own row, and
// no other. This program also serves as that process.
#include "lab/gpu/gpu.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

#include "fault.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "tests/session/fakes.hpp"

namespace {

using namespace carat;
using namespace carat::fakes;

using fault = void (*)();

// What the verification of one process runs: two exact passes and the timed data.
constexpr int of_verification = 3;

// The engine, which causes a fault from the first run after its verification on.
template <fault Break>
std::unique_ptr<rows::runnable> prepare_there(const core::problem& p, const core::settings& s) {
    return product_by([inner = lab::catalogue().find("cuda.engine").prepare(p, s),
                       runs = 0](const core::operands& data) mutable {
        inner->run(data);
        if (++runs > of_verification) Break();
    });
}

void nothing() {}
void leave() {
    _exit(3);
}
void hang() {
    for (;;) pause();
}
constexpr fault write_illegally = faults::start_illegal_write;
constexpr fault work_for_ever = faults::start_endless_kernel;

template <fault Break>
rows::implementation row(const char* name) {
    return fake(name, prepare_there<Break>, rows::device::cuda);
}

const std::vector<rows::implementation>& rows() {
    static const std::vector<rows::implementation> all = {
        row<nothing>("test.one"),          row<nothing>("test.two"),
        row<crash>("test.crashes"),        row<leave>("test.leaves"),
        row<hang>("test.hangs"),           row<write_illegally>("test.spoils"),
        row<work_for_ever>("test.endless")};
    return all;
}

const rows::implementation& row_called(std::string_view name) {
    for (const rows::implementation& one : rows())
        if (one.name == name) return one;
    throw std::runtime_error("there is no such row");
}

constexpr const char* worker_argument = "--serve-as-worker";

int serve_as_worker() {
    process::end_with_parent();
    workers::serve(process::channel(process::child::channel_descriptor),
                   process::child::memory_descriptor, row_called);
    return 0;
}

class device_process_gpu : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = gpu::unavailable(gpu::in_use()); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        request.shapes = {{300, 260, 220}};
        request.timing.trials = 6;
        request.timing.min_trial_s = 1e-4;
        request.timing.settle_s = 1e-4;
        request.processes = 3;
        request.patience_s = 4;
        request.measure_energy = false;
        around.sensors = [] { return session::gpu_sensors{}; };
        around.start = [](int memory, const rows::implementation*) {
            return process::child::execute({"/proc/self/exe", worker_argument}, memory);
        };
    }

    std::string reason_of(const char* bad) {
        choose(request, {&row_called("test.one"), &row_called(bad), &row_called("test.two")});
        const session::case_result r =
            session::run_case(request, request::cases_of(request).front(), around);
        for (const std::size_t i : {0u, 2u}) {
            EXPECT_EQ(r.results[i].reason, "") << r.results[i].implementation;
            EXPECT_TRUE(r.results[i].verified);
            EXPECT_EQ(r.results[i].trials_per_process, (std::vector<std::int64_t>{2, 2, 2}));
        }
        EXPECT_TRUE(r.results[1].trials_s.empty());
        EXPECT_FALSE(r.results[1].available);
        EXPECT_TRUE(children().empty());
        return r.results[1].reason;
    }

    request::measurement request;
    machine::description machine;
    machine::peaks limits;
    session::surroundings around{machine, limits, {}, {}, {}, {}};
};

TEST_F(device_process_gpu, a_crash_costs_its_row) {
    EXPECT_EQ(reason_of("test.crashes"), "the process ended by SIGSEGV in a later product");
}

TEST_F(device_process_gpu, an_exit_costs_its_row) {
    EXPECT_EQ(reason_of("test.leaves"), "the process exited with status 3 in a later product");
}

TEST_F(device_process_gpu, a_hang_costs_its_row) {
    EXPECT_TRUE(reason_of("test.hangs").starts_with("the process gave no answer within "));
}

TEST_F(device_process_gpu, a_broken_context_costs_its_row) {
    EXPECT_NE(reason_of("test.spoils").find("illegal"), std::string::npos);
}

TEST_F(device_process_gpu, a_kernel_that_does_not_end_costs_its_row) {
    EXPECT_TRUE(reason_of("test.endless").starts_with("the process gave no answer within "));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && argv[1] == std::string_view(worker_argument)) return serve_as_worker();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
