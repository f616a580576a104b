#include "cli/gpu_lines.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "cli/terminal.hpp"

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

// The kernel that multiplies is the last one; those before it make its operands ready.
std::string gpu_row(const results::result& c) {
    const results::gpu_facts gpu = c.gpu.value_or(results::gpu_facts{});
    const std::optional<int> clock =
        gpu.clock_mhz ? std::optional(gpu.clock_mhz->median) : std::nullopt;
    std::string line =
        fmt::format("   {:<27} {:>5} {:>5} {:>8} {:>3}", shortened_middle(c.implementation, 27),
                    or_dash("{}", clock), or_dash("{:.0f}", gpu.power_w),
                    or_dash("{:.3g}", gpu.joules_per_gflop), or_dash("{}", gpu.temperature_c));
    if (c.kernels.empty()) {
        line += fmt::format(" {:>4} {:>7} {:>5} {:>5}", "-", "-", "-", "-");
    } else {
        const core::kernel_facts& k = c.kernels.back();
        line += fmt::format(" {:>4} {:>7} {:>5} {:>5.2f}", k.registers, k.shared_bytes,
                            k.local_bytes, k.occupancy);
    }
    if (!gpu.throttle_reasons.empty()) line += "\n      held back by " + held_back(gpu);
    return line + "\n";
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

std::string gpu_table(std::span<const results::result> results) {
    std::vector<const results::result*> shown;
    for (const results::result& c : results)
        if (c.has_figure() && (c.gpu || !c.kernels.empty())) shown.push_back(&c);
    if (shown.empty()) return {};
    std::ranges::sort(shown, {}, &results::result::rank);
    std::string text = styled(
        fmt::format("   {:<27} {:>5} {:>5} {:>8} {:>3} {:>4} {:>7} {:>5} {:>5}\n", "on the GPU",
                    "MHz", "W", "J/GFLOP", "C", "regs", "shared", "local", "occup"),
        style::faint);
    for (const results::result* c : shown) text += gpu_row(*c);
    return text;
}

}  // namespace carat::cli
