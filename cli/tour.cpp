// carat without arguments: half a minute that ends in a ranking and a page to look at.
#include <algorithm>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/outputs.hpp"
#include "cli/terminal.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/machine/render.hpp"

namespace carat::cli {

namespace {

constexpr double tour_s = 22;  // for trials; set-up and references come on top
// Loops that take longer at 1000 are ranked at 256 alone: each runs some ten times to be verified,
// and took more than half of the tour.
constexpr double slowest_run_s = 0.25;
constexpr int processes = 3;  // of each implementation: the fewest that bound a figure

request::measurement request_of_tour() {
    request::measurement r;
    r.chosen = request::parse_selection(lab::catalogue(), "all");
    r.shapes = {{256, 256, 256}, {1000, 1000, 1000}};
    r.threads = {machine::describe().cores};
    r.slowest_run_s = slowest_run_s;
    r.processes = processes;
    const std::size_t shares = r.chosen.size() * r.shapes.size();
    r.timing.budget_s = tour_s / static_cast<double>(shares);
    return r;
}

}  // namespace

int tour() {
    const output_flags files{"carat-results.json", "carat-results.csv", "carat-report.html"};
    const request::measurement r = request_of_tour();
    const session_options options = session_options_of(files);
    session::require_writable(options.out);
    check(files);
    const known_machine known = know_machine(r);
    fmt::print("{}\n", machine::render(known.description, known.limits));
    const session_result result = measure(r, options);
    if (std::ranges::any_of(result.doc.results, &results::result::ranked))
        fmt::print(
            "Verdicts are against the best; every pair is in the report.\n"
            "Rows are of {} processes each; carat bench takes 5 or --processes.\n",
            processes);
    leave(files, result);
    return result.exit_code();
}

}  // namespace carat::cli
