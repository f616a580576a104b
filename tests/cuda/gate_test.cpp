// Times work that was enqueued while its stream was held: the hold must end whatever the work does.
// Skipped without a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace {

using namespace carat;

class gate : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        space = &space::cuda::device_space(cuda::device_in_use());
        some = space::buffer(*space, 4096);
    }

    void clear(int times) {
        for (int i = 0; i < times; ++i)
            CARAT_CUDA_CHECK(cudaMemsetAsync(some.data(), i, 4096, cuda::stream_in_use()));
    }

    space::execution_space* space = nullptr;
    space::buffer some;
};

TEST_F(gate, opens_for_work_that_waits_for_its_own_stream) {
    EXPECT_GT(space->time_s([&] {
        clear(1);
        space->wait();
    }),
              0);
}

TEST_F(gate, opens_for_more_work_than_a_queue_holds) {
    const double few_s = space->time_s([&] { clear(10); });
    EXPECT_GT(space->time_s([&] { clear(20'000); }), few_s);
}

TEST_F(gate, opens_where_the_work_fails) {
    EXPECT_THROW((void)space->time_s([] { throw std::runtime_error("no product"); }),
                 std::runtime_error);
    space->wait();
}

}  // namespace
