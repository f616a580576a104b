// Tests with a GPU for each rank, through NCCL and through the driver's copies. Skipped where there
// are fewer GPUs than ranks.
#pragma once

#include <gtest/gtest.h>

#include <carat/distributed_gpu.hpp>
#include <carat/error.hpp>

#include "distributed/gpu/driver.hpp"
#include "tests/distributed/trial.hpp"

namespace carat::test {

// A local part in a GPU's memory.
class on_gpu {
  public:
    explicit on_gpu(local_part& host) : host_(&host) {
        ranks::gpu::check(ranks::gpu::driver().allocate(&at_, host.data.size()), "cuMemAlloc");
        ranks::gpu::upload(at_, host.data.data(), host.data.size());
    }
    on_gpu(const on_gpu&) = delete;
    on_gpu& operator=(const on_gpu&) = delete;
    ~on_gpu() { ranks::gpu::driver().release(at_); }
    void fetch() {
        ranks::gpu::check(
            ranks::gpu::driver().download(host_->data.data(), at_, host_->data.size()),
            "cuMemcpyDtoH");
    }
    carat::detail::erased_matrix view(dtype type, double factor) {
        auto v = host_->view(type, factor);
        v.data = reinterpret_cast<void*>(at_);
        return v;
    }

  private:
    local_part* host_;
    ranks::gpu::device_pointer at_ = 0;
};

struct gpus {
    int count;
    ranks::gpu_transport by;
};

class several_gpus : public testing::TestWithParam<gpus> {
  public:
    static constexpr auto nccl = ranks::gpu_transport::nccl, copies = ranks::gpu_transport::copies;
    static constexpr gpus counts[] = {{1, copies}, {2, copies}, {3, copies}, {4, copies},
                                      {2, nccl},   {3, nccl},   {4, nccl}};
    static std::string name(const testing::TestParamInfo<gpus>& of) {
        return (of.param.by == nccl ? "nccl_" : "copies_") + std::to_string(of.param.count);
    }

  protected:
    void SetUp() override {
        int found = 0;
        try {
            found = ranks::gpu::device_count();
            if (GetParam().by == ranks::gpu_transport::nccl)
                static_cast<void>(ranks::nccl_in_use());
        } catch (const error& why) {
            GTEST_SKIP() << why.what();
        }
        if (found < GetParam().count)
            GTEST_SKIP() << GetParam().count << " GPUs are needed, and there are " << found;
    }
};

}  // namespace carat::test
