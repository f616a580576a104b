// The laboratory's interface to GPUs, with and without one.
#include "lab/gpu/gpu.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cuda/common/device.hpp"
#include "lab/gpu/nvml.hpp"

namespace {

using namespace carat;

TEST(gpu_door, says_of_each_gpu_what_it_is_or_why_not) {
    EXPECT_EQ(gpu::count(), cuda::device_count());
    EXPECT_TRUE(gpu::describe(99).is_null());
    EXPECT_FALSE(gpu::unavailable(99).empty());
    for (int device = 0; device < gpu::count(); ++device) {
        const auto facts = gpu::describe(device);
        EXPECT_FALSE(facts.at("name").get<std::string>().empty());
        EXPECT_GT(facts.at("memory_bytes").get<double>(), 1e9);
    }
}

TEST(gpu_door, a_monitor_reads_or_says_why_not) {
    const gpu::monitor nowhere("ffff:ff:1f.0");
    EXPECT_FALSE(nowhere.problem().empty());
    EXPECT_FALSE(nowhere.read().power_w.has_value());
    if (gpu::count() == 0 || !gpu::unavailable(0).empty()) return;
    const gpu::monitor watch(cuda::describe(0).pci_bus_id);
    ASSERT_EQ(watch.problem(), "");
    const gpu::reading now = watch.read();
    EXPECT_GT(now.clock_mhz.value_or(0), 0);
    EXPECT_GT(now.power_w.value_or(0), 1);
    EXPECT_GT(now.energy_j.value_or(0), 1);
    EXPECT_GT(now.temperature_c.value_or(0), 0);
    EXPECT_FALSE(watch.driver_version().empty());
}

TEST(gpu_door, names_only_the_throttle_reasons_that_cost_speed) {
    EXPECT_TRUE(gpu::throttle_names(0x1 | 0x2).empty());
    EXPECT_EQ(gpu::throttle_names(0x4 | 0x40 | 0x1),
              (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
}

}  // namespace
