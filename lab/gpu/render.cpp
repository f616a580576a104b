#include "lab/gpu/render.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/gpu/gpu.hpp"
#include "lab/gpu/peaks/identity.hpp"
#include "lab/gpu/published.hpp"
#include "lab/machine/render.hpp"

namespace carat::gpu {

namespace {

std::string dotted(int version, int major, int minor) {
    return fmt::format("{}.{}", version / major, version % major / minor);
}

double gibibytes(const nlohmann::json& bytes) {
    return bytes.get<double>() / (1 << 30);
}

}  // namespace

std::string render(const nlohmann::json& d) {
    const std::string driver = d["driver"];
    using machine::row;
    return row(fmt::format("GPU {}", d["device"].get<int>()), d["name"].get<std::string>()) +
           row("", fmt::format("compute capability {}, {} multiprocessors, at most {} MHz",
                               dotted(d["compute_capability"], 10, 1),
                               d["multiprocessors"].get<int>(), d["clock_max_mhz"].get<int>())) +
           row("GPU memory",
               fmt::format("{:.1f} GiB, {:.1f} MiB of L2", gibibytes(d["memory_bytes"]),
                           1024 * gibibytes(d["l2_bytes"]))) +
           row("GPU driver",
               fmt::format("{}, CUDA {}; this build has {}", driver.empty() ? "unknown" : driver,
                           dotted(d["cuda_driver"], 1000, 10),
                           dotted(d["cuda_runtime"], 1000, 10))) +
           row("GPU kernels", d["kernels"] == measured
                                  ? "carat was measured on this kind of GPU"
                                  : "built only: carat never ran on this kind of GPU") +
           row("GPU plans", d["plans"] == "fitted"
                                ? "by costs fitted on this kind of GPU"
                                : fmt::format("{}, not fitted", d["plans"].get<std::string>()));
}

std::string render(const machine::peaks& limits, std::string_view gpu_name) {
    const published_gpu* const maker = published(gpu_name);
    const auto column = [&](std::optional<double> figure) {
        if (maker == nullptr) return std::string();
        return figure ? fmt::format("{:>14.0f}", *figure) : fmt::format("{:>14}", "-");
    };
    const std::string head = maker == nullptr ? "" : fmt::format("{:>14}", "published");
    std::string text = fmt::format("  {:<20}{:<12}{:>14}{}\n", "unit", "type", "GFLOP/s", head);
    for (const machine::compute_peak& p : limits.compute) {
        auto rate = maker == nullptr ? std::nullopt : maker->tflops(p.unit);
        if (rate) *rate *= 1000;
        text += fmt::format("  {:<20}{:<12}{:>14.1f}{}\n", p.unit, name(p.type), p.gflops,
                            column(rate));
    }
    text += fmt::format("  {:<32}{:>14}{}\n", "memory", "GB/s", head);
    for (const machine::bandwidth_peak& p : limits.bandwidth) {
        std::optional<double> rate;
        if (maker != nullptr && p.level == "HBM") rate = maker->memory_gb_per_s;
        text += fmt::format("  {:<32}{:>14.1f}{}\n", p.level, p.gb_per_s, column(rate));
    }
    return text;
}

std::string render_absence(int device) {
    const std::string code = compiled_for();
    return machine::row("GPU", "none: " + unavailable(device)) +
           (code.empty() ? "" : machine::row("GPU kernels", "compiled for " + code));
}

}  // namespace carat::gpu
