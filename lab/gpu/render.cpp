#include "lab/gpu/render.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/gpu/gpu.hpp"
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
                           dotted(d["cuda_runtime"], 1000, 10)));
}

std::string render(const machine::peaks& limits) {
    std::string text = fmt::format("  {:<20}{:<12}{:>14}\n", "unit", "type", "GFLOP/s");
    for (const machine::compute_peak& p : limits.compute)
        text += fmt::format("  {:<20}{:<12}{:>14.1f}\n", p.unit, name(p.type), p.gflops);
    text += fmt::format("  {:<32}{:>14}\n", "memory", "GB/s");
    for (const machine::bandwidth_peak& p : limits.bandwidth)
        text += fmt::format("  {:<32}{:>14.1f}\n", p.level, p.gb_per_s);
    return text;
}

std::string render_absence(int device) {
    return machine::row("GPU", "none: " + unavailable(device));
}

}  // namespace carat::gpu
