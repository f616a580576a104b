// The units and memories of a real GPU. Without one every test here is skipped, which ctest counts
// and names.
#include "lab/gpu/peaks/peaks.hpp"

#include <gtest/gtest.h>

#include "cuda/common/device.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/gpu/limits.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;

class gpu_peaks : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = gpu::unavailable(device); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
    }

    static double peak(const machine::peaks& limits, const std::string& unit) {
        for (const auto& p : limits.compute)
            if (p.unit == unit) return p.gflops;
        return 0;
    }
    static double bandwidth(const machine::peaks& limits, const std::string& level) {
        for (const auto& p : limits.bandwidth)
            if (p.level == level) return p.gb_per_s;
        return 0;
    }

    const int device = gpu::in_use();
};

TEST_F(gpu_peaks, stand_to_each_other_as_the_hardware_does) {
    const machine::peaks limits = gpu::measure_peaks(device);
    EXPECT_TRUE(gpu::complete(limits, device));
    EXPECT_EQ(gpu::in_use(), device);
    EXPECT_GT(peak(limits, "ffma"), 1e3);
    EXPECT_GT(peak(limits, "imad"), 0.2 * peak(limits, "ffma"));
    EXPECT_LT(peak(limits, "dfma"), 1.02 * peak(limits, "ffma"));
    EXPECT_GT(bandwidth(limits, "L2"), bandwidth(limits, "HBM"));
    EXPECT_GT(bandwidth(limits, "HBM"), bandwidth(limits, "PCIe to GPU"));
    EXPECT_GT(bandwidth(limits, "PCIe from GPU"), 1);
    // Clocks bound a unit: no multiprocessor does more than these at its highest clock.
    const cuda::device_facts facts = cuda::describe(device);
    const double cycles = 1e-3 * facts.clock_mhz * facts.multiprocessors;  // 10^9 a second
    EXPECT_LT(peak(limits, "ffma"), 1.02 * cycles * 256);
    if (facts.compute_capability != 90) return;
    EXPECT_LT(peak(limits, "dmma"), 1.02 * cycles * 256);
    EXPECT_LT(peak(limits, "tensor f16"), 1.02 * cycles * 4096);
    EXPECT_LT(peak(limits, "tensor i8"), 1.02 * cycles * 8192);
}

TEST_F(gpu_peaks, of_hopper_have_every_unit_near_its_rate) {
    const cuda::device_facts facts = cuda::describe(device);
    if (facts.compute_capability != 90)
        GTEST_SKIP() << "for compute capability 90: this GPU has " << facts.compute_capability;
    const machine::peaks limits = gpu::measure_peaks(device);
    const double cycles = 1e-3 * facts.clock_mhz * facts.multiprocessors;
    const std::pair<const char*, double> rates[] = {
        {"ffma", 256},           {"dfma", 128},           {"imad", 128},
        {"dmma", 256},           {"tensor f16", 4096},    {"tensor bf16", 4096},
        {"tensor tf32", 2048},   {"tensor i8", 8192},     {"tensor e4m3", 8192},
        {"tensor e5m2", 8192},   {"mma.sync bf16", 2576}, {"mma.sync f16", 2576},
        {"mma.sync tf32", 1288}, {"mma.sync i8", 5152}};
    for (const auto& [unit, rate] : rates)
        EXPECT_GT(peak(limits, unit), 0.8 * cycles * rate) << unit;
}

TEST_F(gpu_peaks, are_kept_and_believed_only_when_whole) {
    const test::scratch_folder folder;
    const machine::cache_options kept{folder.path(), 3600};
    const gpu::known_gpu first = gpu::know(device, {}, kept);
    const gpu::known_gpu second = gpu::know(device, {}, kept);
    EXPECT_EQ(second.limits.measured_at_s, first.limits.measured_at_s);
    EXPECT_EQ(peak(second.limits, "ffma"), peak(first.limits, "ffma"));
    EXPECT_GT(second.l2_bytes, 0);

    machine::peaks part = first.limits;
    part.compute.pop_back();
    EXPECT_FALSE(gpu::complete(part, device));
    part = first.limits;
    part.bandwidth.pop_back();
    EXPECT_FALSE(gpu::complete(part, device));

    gpu::known_gpu doubted = first;
    doubted.limits.compute.front().gflops = 1e15;
    EXPECT_EQ(gpu::refresh(doubted, {}, kept).compute.front().gflops, 1e15);
}

}  // namespace
