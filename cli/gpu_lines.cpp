#include "cli/gpu_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carat::cli {

namespace {

template <class T>
std::string or_dash(const char* form, const std::optional<T>& value) {
    return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

std::string held_back(const results::gpu_facts& gpu) {
    return fmt::format("{}", fmt::join(gpu.throttle_reasons, "+"));
}

std::string kernel_line(const core::kernel_facts& k) {
    return fmt::format(
        "Kernel={} Threads={} Registers={} Shared(B)={} Local(B)={} "
        "Occupancy={:.2f}\n",
        k.name, k.threads, k.registers, k.shared_bytes, k.local_bytes, k.occupancy);
}

}  // namespace

std::string gpu_lines(const results::result& c) {
    std::string text;
    if (const auto& gpu = c.gpu) {
        if (gpu->clock_mhz)
            text += fmt::format("Clock(MHz)={} [{},{}] ", gpu->clock_mhz->median,
                                gpu->clock_mhz->least, gpu->clock_mhz->most);
        text += fmt::format(
            "MemoryClock(MHz)={} Power(W)={} Joules/GFLOP={} Temperature(C)={} HeldBack={}\n",
            or_dash("{}", gpu->memory_clock_mhz), or_dash("{:.1f}", gpu->power_w),
            or_dash("{:.4g}", gpu->joules_per_gflop), or_dash("{}", gpu->temperature_c),
            gpu->throttle_reasons.empty() ? "no" : held_back(*gpu));
    }
    for (const core::kernel_facts& k : c.kernels) text += kernel_line(k);
    return text;
}

}  // namespace carat::cli
