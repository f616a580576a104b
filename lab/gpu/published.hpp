// What makers publish about GPUs (costs/published.json): limits to set beside measured ones, or in
// their place where such a GPU is not at hand. Nothing is judged by them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carat::gpu {

struct published_rate {
    std::string unit;  // as machine::compute_peak has it: "ffma", "tensor bf16"
    double tflops = 0;
};

struct published_gpu {
    std::string name;
    std::vector<std::string> matches;  // what a driver's name for it contains
    std::vector<std::string> excludes;
    int compute_capability = 0;
    int sms = 0;
    std::optional<int> boost_mhz;
    int l2_mib = 0;
    int shared_kib = 0;  // of a CTA, at most
    double memory_gb_per_s = 0;
    std::vector<published_rate> rates;
    bool ran = false;                  // carat's kernels have run on it
    std::vector<std::string> sources;  // documents

    /// None if nothing is published for the unit.
    [[nodiscard]] std::optional<double> tflops(std::string_view unit) const;
};

[[nodiscard]] std::span<const published_gpu> published_gpus();

/// What carat knows of its kernels on a GPU of this name: `measured`, or `built_only`.
inline constexpr std::string_view measured = "measured";
inline constexpr std::string_view built_only = "built only";
[[nodiscard]] std::string_view experience_with(std::string_view device_name);

/// The first whose `matches` are all in the driver's name of a GPU; null if there is none.
[[nodiscard]] const published_gpu* published(std::string_view device_name);

}  // namespace carat::gpu
