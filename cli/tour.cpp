// carat without arguments: half a minute that ends in a ranking and a page to look at.
#include <fmt/format.h>
#include <string>

#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/terminal.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/machine/render.hpp"
#include "lab/report/report.hpp"
#include "lab/results/files.hpp"

namespace carat::cli {

namespace {

constexpr double tour_s = 22;        // for trials; set-up and references come on top
constexpr double slowest_run_s = 2;  // anything slower has no place in half a minute

session::request request_of_tour() {
    session::request r;
    r.chosen = session::parse_selection(lab::catalogue(), "all");
    r.shapes = {{256, 256, 256}, {1000, 1000, 1000}};
    r.threads = {machine::describe().cores};
    r.slowest_run_s = slowest_run_s;
    const std::size_t shares = r.chosen.size() * r.shapes.size();
    r.timing.budget_s = tour_s / static_cast<double>(shares);
    return r;
}

}  // namespace

int tour() {
    const std::string page = "carat-report.html";
    const session::request r = request_of_tour();
    session_options options;
    options.out = {"carat-results.json", "carat-results.csv"};
    options.command = command_line();
    session::require_writable(options.out);
    results::require_writable(page);
    const known_machine known = know_machine(r);
    fmt::print("{}\n", machine::render(known.description, known.limits));
    const session_result result = measure(r, options);
    if (!result.saved) {
        fmt::print("nothing was measured, so no file is written\n");
        return result.exit_code();
    }
    results::write_whole(page, report::html(results::to_json(result.doc)));
    fmt::print("Verdicts are against the row above; every pair is in the report.\n");
    fmt::print("wrote {}, carat-results.json, carat-results.csv\n", page);
    return result.exit_code();
}

}  // namespace carat::cli
