// carat info: what this machine is, and with --measure what it can do.
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "lab/machine/ceilings.hpp"
#include "lab/machine/description.hpp"
#include "lab/machine/render.hpp"

namespace carat::cli {

namespace {

struct info_options {
    bool measure = false;
    bool thorough = false;
    bool json = false;
};

machine::ceilings measured(const machine::description& machine, bool thorough) {
    progress_line line;
    machine::measure_options how;
    how.thorough = thorough;
    how.on_progress = [&](const machine::progress& p) {
        line.show("measuring " + std::string(p.what), p.done);
    };
    return machine::measure_ceilings(machine, how);
}

int info(const info_options& o) {
    const machine::description machine = machine::describe();
    if (!o.measure && !o.thorough) {
        if (o.json)
            fmt::print("{}\n", machine::to_json(machine).dump(1));
        else
            fmt::print("{}", machine::render(machine));
        return success;
    }
    const machine::ceilings limits = measured(machine, o.thorough);
    if (o.json) {
        nlohmann::json out = machine::to_json(machine);
        out["ceilings"] = machine::to_json(limits);
        fmt::print("{}\n", out.dump(1));
    } else {
        fmt::print("{}", machine::render(machine, limits));
    }
    return success;
}

}  // namespace

void add_info(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("info", "this machine, and with --measure its limits");
    auto options = std::make_shared<info_options>();
    sub->add_flag("--measure", options->measure,
                  "measure the peak of each unit and the bandwidth of each cache (4 s)");
    sub->add_flag("--thorough", options->thorough, "measure for 20 s");
    sub->add_flag("--json", options->json, "print JSON");
    sub->footer("Examples:\n  carat info\n  carat info --measure --json > machine.json");
    sub->callback([options, &chosen] { chosen = [options] { return info(*options); }; });
}

}  // namespace carat::cli
