// carat info: what this machine is, and with --measure what it can do.
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/gpu/peaks/peaks.hpp"
#include "lab/gpu/render.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/machine/render.hpp"

namespace carat::cli {

namespace {

struct info_options {
    bool measure = false;
    bool thorough = false;
    bool json = false;

    [[nodiscard]] bool measures() const { return measure || thorough; }
};

machine::measure_options measuring(const info_options& o, progress_line& line) {
    machine::measure_options how;
    how.thorough = o.thorough;
    how.on_progress = [&](const machine::progress& p) { line.show(std::string(p.what), p.done); };
    return how;
}

struct described_gpu {
    nlohmann::json facts;
    std::optional<machine::peaks> limits;
};

std::vector<described_gpu> describe_gpus(const info_options& o) {
    std::vector<described_gpu> found;
    for (int device = 0; device < gpu::count(); ++device) {
        nlohmann::json facts = gpu::describe(device);
        if (facts.is_null()) continue;
        found.push_back({std::move(facts), {}});
        if (!o.measures()) continue;
        progress_line line;
        found.back().limits = gpu::measure_peaks(device, measuring(o, line));
        found.back().facts["peaks"] = machine::to_json(*found.back().limits);
    }
    return found;
}

int info(const info_options& o) {
    const machine::description machine = machine::describe();
    std::optional<machine::peaks> limits;
    if (o.measures()) {
        progress_line line;
        limits = machine::measure_peaks(machine, measuring(o, line));
    }
    const std::vector<described_gpu> gpus = describe_gpus(o);
    if (o.json) {
        nlohmann::json out = machine::to_json(machine);
        if (limits) out["peaks"] = machine::to_json(*limits);
        out["gpus"] = nlohmann::json::array();
        for (const described_gpu& one : gpus) out["gpus"].push_back(one.facts);
        fmt::print("{}\n", out.dump(1));
        return success;
    }
    std::string text = limits ? machine::render(machine, *limits) : machine::render(machine);
    if (gpus.empty()) text += gpu::render_absence(gpu::in_use());
    for (const described_gpu& one : gpus) {
        text += (limits ? "\n" : "") + gpu::render(one.facts);
        if (one.limits) text += gpu::render(*one.limits, one.facts["name"].get<std::string>());
    }
    fmt::print("{}", folded_lines(text, 15));  // where render() puts values
    return success;
}

}  // namespace

void add_info(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("info", "this machine, and with --measure its limits");
    auto options = std::make_shared<info_options>();
    sub->add_flag(
        "--measure", options->measure,
        "measure the peak of each unit and the bandwidth of each memory (7 s, 2 s a GPU)");
    sub->add_flag("--thorough", options->thorough, "measure for 20 s, 8 s a GPU");
    sub->add_flag("--json", options->json, "print JSON");
    sub->footer("Examples:\n  carat info\n  carat info --measure --json > machine.json");
    sub->callback([options, &chosen] { chosen = [options] { return info(*options); }; });
}

}  // namespace carat::cli
