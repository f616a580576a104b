#include "lab/study/hardware.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "lab/gpu/published.hpp"
#include "lab/results/surroundings.hpp"

namespace carat::study {

namespace {

struct limit {
    std::string_view name;
    std::array<std::string_view, 2> units;  // the better of both
};

constexpr limit limits[] = {{"f64, TFLOP/s", {"dfma", "dmma"}},
                            {"f32, TFLOP/s", {"ffma", "ffma"}},
                            {"tf32, TFLOP/s", {"tensor tf32", "tensor tf32"}},
                            {"f16, TFLOP/s", {"tensor f16", "tensor f16"}},
                            {"int8, TFLOP/s", {"tensor i8", "tensor i8"}}};

std::optional<double> published_tflops(const gpu::published_gpu& gpu, const limit& of) {
    return std::max(gpu.tflops(of.units[0]), gpu.tflops(of.units[1]));
}

// The best figure of those with one of the names, or nothing.
std::optional<double> best_of(const std::vector<results::measured_peak>& peaks,
                              std::span<const std::string_view> names) {
    std::optional<double> best;
    for (const results::measured_peak& one : peaks)
        if (std::ranges::find(names, one.of) != names.end())
            best = std::max(best, std::optional(one.rate));
    return best;
}

std::string cell(std::optional<double> figure) {
    return figure ? fmt::format("{:.4g}", *figure) : "-";
}

void say_whether_same(chapter& c, const gpu::published_gpu& theirs, const std::string& here) {
    if (gpu::published(here) == &theirs)
        c.sources.push_back(fmt::format(
            "This machine has the document's GPU ({}): its figures and those measured here "
            "are of the same hardware.",
            here));
}

}  // namespace

void add_hardware(chapter& c, const published::source& from, const results::document& doc) {
    const auto all = gpu::published_gpus();
    const auto theirs = std::ranges::find(all, from.gpu, &gpu::published_gpu::name);
    if (theirs == all.end()) return;
    const results::surroundings machine = results::surroundings_of(doc);
    const results::gpu_seen* const gpu = machine.gpus.empty() ? nullptr : &machine.gpus.front();
    const std::string here = gpu == nullptr ? "" : gpu->name;
    const gpu::published_gpu* const ours = gpu == nullptr ? nullptr : gpu::published(here);
    table t{
        "Limits of the document's GPU" + (gpu == nullptr ? "" : " and of " + here),
        {"limit", fmt::format("{}, published", theirs->name), "here, published", "here, measured"},
        {},
        "Published limits are the makers'; carat did not measure them."};
    for (const limit& of : limits) {
        std::optional<double> there;
        if (gpu != nullptr) there = best_of(gpu->peaks.compute, of.units);
        if (there) *there /= 1000;
        t.rows.push_back({std::string(of.name), cell(published_tflops(*theirs, of)),
                          cell(ours == nullptr ? std::nullopt : published_tflops(*ours, of)),
                          cell(there)});
    }
    constexpr std::array<std::string_view, 1> memory = {"HBM"};
    t.rows.push_back({"memory, GB/s", cell(theirs->memory_gb_per_s),
                      cell(ours == nullptr ? std::nullopt : std::optional(ours->memory_gb_per_s)),
                      cell(gpu == nullptr ? std::nullopt : best_of(gpu->peaks.bandwidth, memory))});
    c.tables.push_back(std::move(t));
    say_whether_same(c, *theirs, here);
}

}  // namespace carat::study
