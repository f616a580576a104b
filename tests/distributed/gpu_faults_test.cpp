// What becomes of ranks with a GPU each where NCCL fails, on the NCCL and the driver of fake/:
// every rank gets an error, and none waits forever.
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/distributed/several_gpus.hpp"

namespace carat::test {
namespace {

class variable {
  public:
    variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;
    ~variable() { unsetenv(name_); }

  private:
    const char* name_;
};

class nccl_faults : public testing::Test {
  protected:
    void SetUp() override {
        std::string found;
        try {
            found = ranks::nccl_in_use();
        } catch (const error& why) {
            GTEST_SKIP() << why.what();
        }
        if (!found.starts_with("NCCL 1.0.0")) GTEST_SKIP() << "not the NCCL of fake/: " << found;
    }

    // The error of moving a matrix from rows to columns over three GPUs with a fault on rank 0.
    static std::string of_moving(const char* fault) {
        const variable with("CARAT_FAKE_NCCL", fault);
        const auto from = ranks::distribution::by_rows(30, 30, 3);
        const auto to = ranks::distribution::by_columns(30, 30, 3);
        try {
            ranks::with_gpus(3, [&](ranks::communicator& comm) {
                local_part mine(from, comm.rank(), dtype::f32, false),
                    target(to, comm.rank(), dtype::f32, false);
                on_gpu source(mine), got(target);
                ranks::detail::redistribute(comm, {source.view(dtype::f32, 1), from},
                                            {got.view(dtype::f32, 1), to});
            });
        } catch (const error& why) {
            EXPECT_EQ(why.code(), error_code::device_failed) << why.what();
            return why.what();
        }
        return "no error";
    }
};

TEST_F(nccl_faults, no_fault_is_no_error) {
    EXPECT_EQ(of_moving(""), "no error");
}

TEST_F(nccl_faults, a_call_that_fails_on_one_rank_ends_all) {
    EXPECT_NE(of_moving("fails").find("ncclGroupEnd failed"), std::string::npos);
}

TEST_F(nccl_faults, what_it_reports_later_ends_all) {
    EXPECT_NE(of_moving("reports").find("a message of NCCL failed"), std::string::npos);
}

TEST_F(nccl_faults, what_never_ends_and_is_not_reported_meets_the_time_limit) {
    const variable limit("CARAT_NCCL_TIMEOUT", "1");
    const auto begun = std::chrono::steady_clock::now();
    const std::string why = of_moving("stuck");
    EXPECT_NE(why.find("has not ended after 1 s"), std::string::npos) << why;
    EXPECT_NE(why.find("CARAT_NCCL_TIMEOUT"), std::string::npos) << why;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(nccl_faults, a_time_limit_that_is_no_number_is_refused) {
    const variable limit("CARAT_NCCL_TIMEOUT", "soon");
    try {
        ranks::with_gpus(2, [](ranks::communicator&) {});
        FAIL() << "nothing was thrown";
    } catch (const error& why) {
        EXPECT_EQ(why.code(), error_code::invalid_argument);
        EXPECT_STREQ(why.what(),
                     "CARAT_NCCL_TIMEOUT=soon: give the seconds to wait for NCCL, 1 to 1000000");
    }
}

}  // namespace
}  // namespace carat::test
