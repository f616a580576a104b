// Which GPU a driver's name means, and what its maker publishes.
#include "lab/gpu/published.hpp"

#include <gtest/gtest.h>

#include "lab/gpu/render.hpp"
#include "tests/gpu/planted.hpp"

namespace {

using namespace carat;

std::string found(std::string_view device_name) {
    const gpu::published_gpu* const one = gpu::published(device_name);
    return one == nullptr ? "none" : one->name;
}

TEST(gpu_published, a_gpu_is_known_by_its_drivers_name) {
    EXPECT_EQ(found("Tesla V100-PCIE-16GB"), "Tesla V100 PCIe 16 GB");
    EXPECT_EQ(found("Tesla V100-SXM2-32GB"), "Tesla V100 SXM2");
    EXPECT_EQ(found("Tesla T4"), "Tesla T4");
    EXPECT_EQ(found("NVIDIA T400 4GB"), "none");
    EXPECT_EQ(found("NVIDIA A100-SXM4-40GB"), "A100 40 GB");
    EXPECT_EQ(found("NVIDIA A100-SXM4-80GB"), "A100 SXM4 80 GB");
    EXPECT_EQ(found("NVIDIA A100 80GB PCIe"), "A100 PCIe 80 GB");
    EXPECT_EQ(found("NVIDIA L40S"), "L40S");
    EXPECT_EQ(found("NVIDIA GeForce RTX 4050 Laptop GPU"), "GeForce RTX 4050 Laptop");
    EXPECT_EQ(found("NVIDIA GeForce RTX 4090"), "GeForce RTX 4090");
    EXPECT_EQ(found("NVIDIA GeForce RTX 4090 Laptop GPU"), "none");
    EXPECT_EQ(found("NVIDIA GeForce RTX 5090"), "GeForce RTX 5090");
    EXPECT_EQ(found("NVIDIA B200"), "B200");
    EXPECT_EQ(found("NVIDIA GeForce RTX 3090"), "none");
}

TEST(gpu_published, every_gpu_is_complete) {
    EXPECT_GE(gpu::published_gpus().size(), 7U);
    for (const gpu::published_gpu& one : gpu::published_gpus()) {
        EXPECT_FALSE(one.matches.empty()) << one.name;
        EXPECT_FALSE(one.sources.empty()) << one.name;
        EXPECT_GT(one.tflops("ffma").value_or(0), 0) << one.name;
        EXPECT_GE(one.tflops("tensor f16").value_or(0), *one.tflops("ffma")) << one.name;
        EXPECT_GT(one.memory_gb_per_s, 0) << one.name;
        // A core does a multiplication and an addition a cycle; 64 or 128 f32 cores an SM.
        if (!one.boost_mhz) continue;
        const double a_cycle = *one.tflops("ffma") * 1e6 / *one.boost_mhz / one.sms / 2;
        EXPECT_NEAR(a_cycle, one.compute_capability >= 86 ? 128 : 64, 2) << one.name;
    }
}

TEST(gpu_published, measured_only_where_carat_ran) {
    EXPECT_EQ(gpu::experience_with("NVIDIA H200"), gpu::measured);
    EXPECT_EQ(gpu::experience_with("NVIDIA L40S"), gpu::built_only);
    EXPECT_EQ(gpu::experience_with("NVIDIA GeForce RTX 3090"), gpu::built_only);
}

TEST(gpu_published, limits_stand_beside_the_measured_ones) {
    const machine::peaks limits = test::planted_gpu().limits;
    const std::string known = gpu::render(limits, "NVIDIA H200");
    EXPECT_NE(known.find("published"), std::string::npos) << known;
    EXPECT_NE(known.find("67000\n"), std::string::npos) << known;
    EXPECT_NE(known.find("4800\n"), std::string::npos) << known;
    EXPECT_EQ(gpu::render(limits, "NVIDIA GeForce RTX 3090").find("published"), std::string::npos);
}

}  // namespace
