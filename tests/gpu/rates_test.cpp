// GPUs without fitted costs: rates from attributes are those that makers publish, and measured ones
// reach the library through a file.
#include "lab/gpu/rates.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>

#include <carat/error.hpp>

#include "lab/gpu/published.hpp"
#include "plan/costs.hpp"
#include "plan/gpu_rates.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;

plan::gpu_attributes attributes_of(const gpu::published_gpu& one) {
    return {.name = one.name,
            .compute_capability = one.compute_capability,
            .sms = one.sms,
            .clock_hz = 1e6 * one.boost_mhz.value_or(0),
            .l2_bytes = one.l2_mib * 1024.0 * 1024.0,
            .memory_bytes_per_s = 1e9 * one.memory_gb_per_s};
}

void expect_near(const char* unit, double rate, std::optional<double> tflops) {
    if (tflops) {
        EXPECT_NEAR(rate / (1e12 * *tflops), 1, 0.06) << unit;
    }
}

// 9.0 and 10.0 publish what wgmma and tcgen05 do, not mma.sync.
TEST(gpu_rates, from_attributes_are_those_published) {
    int known = 0;
    for (const gpu::published_gpu& one : gpu::published_gpus()) {
        if (!one.boost_mhz || one.compute_capability == 90 || one.compute_capability == 100)
            continue;
        SCOPED_TRACE(one.name);
        ++known;
        const plan::gpu_rates rates = plan::rates_from(attributes_of(one));
        expect_near("tensor f16", rates.half_flop_per_s, one.tflops("tensor f16"));
        expect_near("tensor tf32", rates.tf32_flop_per_s, one.tflops("tensor tf32"));
        expect_near("ffma", rates.ffma_flop_per_s, one.tflops("ffma"));
        const auto by_tensor_cores = one.tflops("dmma");
        expect_near("f64", rates.f64_flop_per_s,
                    by_tensor_cores ? by_tensor_cores : one.tflops("dfma"));
    }
    EXPECT_GE(known, 6);
}

std::map<std::string, double> all_of(const plan::gpu_costs& costs) {
    std::map<std::string, double> all;
    plan::each_family(costs, [&](const char* family, const auto& of) {
        plan::each_constant(of, [&](const auto& constant, double value) {
            all[std::string(family) + "." + std::string(constant.name)] = value;
        });
    });
    return all;
}

TEST(gpu_rates, of_an_h200_give_its_fitted_costs) {
    const auto derived = all_of(plan::costs_from(plan::rates_of_h200()));
    for (const auto& [name, value] : all_of(plan::costs_of_h200))
        EXPECT_DOUBLE_EQ(derived.at(name), value) << name;
}

// An RTX 4050 has 20 SMs where an H200 has 132, and a memory of a twenty-fifth of the rate.
TEST(gpu_rates, of_a_smaller_gpu_give_costs_of_its_own) {
    const gpu::published_gpu* const small = gpu::published("NVIDIA GeForce RTX 4050 Laptop GPU");
    ASSERT_NE(small, nullptr);
    const plan::gpu_costs costs = plan::costs_from(plan::rates_from(attributes_of(*small)));
    EXPECT_LT(costs.memory_bytes_per_s, plan::costs_of_h200.memory_bytes_per_s / 20);
    EXPECT_LT(costs.mma_half.flop_per_s, plan::costs_of_h200.mma_half.flop_per_s / 3);
    EXPECT_LT(costs.mma_lean.flop_per_s, plan::costs_of_h200.mma_lean.flop_per_s / 3);
    EXPECT_LT(costs.mma_half.sharing.l2_bytes_per_s,
              plan::costs_of_h200.mma_half.sharing.l2_bytes_per_s / 5);
    EXPECT_EQ(costs.mma_half.launch_s, plan::costs_of_h200.mma_half.launch_s);
}

class in_own_cache : public ::testing::Test {
  protected:
    void SetUp() override {
        const char* const before = std::getenv("XDG_CACHE_HOME");
        if (before != nullptr) before_ = before;
        setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    }
    void TearDown() override {
        if (before_)
            setenv("XDG_CACHE_HOME", before_->c_str(), 1);
        else
            unsetenv("XDG_CACHE_HOME");
    }
    const test::scratch_folder folder_;
    std::optional<std::string> before_;
};
using gpu_rates_file = in_own_cache;

TEST_F(gpu_rates_file, keeps_what_was_measured_of_each_gpu) {
    gpu::keep_rates("one", {.half_flop_per_s = 1e14});
    gpu::keep_rates("two", {.memory_bytes_per_s = 2e12});
    gpu::keep_rates("one", {.half_flop_per_s = 3e14});
    const tuning::measured_rates* const one = tuning::known_rates("one");
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->half_flop_per_s, 3e14);
    ASSERT_NE(tuning::known_rates("two"), nullptr);
    EXPECT_EQ(tuning::known_rates("two")->memory_bytes_per_s, 2e12);
    EXPECT_EQ(tuning::known_rates("three"), nullptr);
}

TEST(gpu_rates, are_refused_where_they_are_none) {
    const auto refusal = [](const char* text) {
        return test::refusal_of([&] { (void)tuning::parse_rates(text, "f"); });
    };
    EXPECT_NE(refusal(R"({"schema": 2, "gpus": []})").find("schema isn't 1"), std::string::npos);
    EXPECT_NE(refusal(R"({"schema": 1, "gpus": [{"name": "a", "half_flop_per_s": -1}]})")
                  .find("half_flop_per_s is no rate"),
              std::string::npos);
    EXPECT_EQ(refusal(R"({"schema": 1, "gpus": [{"name": "a"}]})"), "");
}

TEST(gpu_rates, follow_from_measured_peaks) {
    machine::peaks limits;
    const auto add = [&](const char* unit, double gflops) {
        limits.compute.emplace_back().unit = unit;
        limits.compute.back().gflops = gflops;
    };
    add("tensor bf16", 300e3);
    add("dfma", 9e3);
    limits.bandwidth.emplace_back().level = "HBM";
    limits.bandwidth.back().gb_per_s = 1500;
    const tuning::measured_rates rates = gpu::rates_of(limits);
    EXPECT_EQ(rates.half_flop_per_s, 300e12);
    EXPECT_EQ(rates.f64_flop_per_s, 9e12);
    EXPECT_EQ(rates.memory_bytes_per_s, 1.5e12);
    EXPECT_EQ(rates.tf32_flop_per_s, 0);
}

}  // namespace
