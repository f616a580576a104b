// carat tune: measures every way an engine has to multiply, and writes down where one is faster
// than the one its model chooses.
#include "lab/tune/tune.hpp"

#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/measuring.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/files/output.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/report/words.hpp"
#include "lab/results/build_info.hpp"

namespace carat::cli {

namespace {

struct tune_options {
    std::string implementation = "cuda.engine", sizes, types = "bf16", layout = "nn";
    std::string device = "cuda", tuned;
    double budget_s = 0.3;
    int trials = 0;
};

request::measurement request_of(const tune_options& o) {
    const std::optional<rows::device> only = choose_device(o.device);
    if (only == rows::device::cpu)
        throw error(
            error_code::invalid_argument,
            "tune --device cpu: only implementations on a GPU have ways to tune, those on the "
            "CPU take their blocks from the sizes of the caches: leave --device out");
    request::measurement r;
    r.chosen = request::parse_selection(lab::catalogue(), o.implementation, only);
    if (r.chosen.size() != 1)
        throw error(error_code::invalid_argument,
                    "tune takes one implementation: run it once for each");
    if (!r.chosen.front().tunables.empty())
        throw error(error_code::invalid_argument,
                    o.implementation + ": tune tries every value itself: leave the tunables out");
    if (const std::string why = tune::reason_against(*r.chosen.front().entry); !why.empty())
        throw error(error_code::invalid_argument, why);
    r.shapes = request::parse_shapes(o.sizes);
    r.types = request::parse_dtypes(o.types);
    r.stored = request::parse_storage(o.layout);
    if (r.stored.c != 'n' || r.stored.pad != 0)
        throw error(error_code::invalid_argument,
                    "layout '" + o.layout +
                        "': tables of carat tune hold for C by rows and any leading dimensions; "
                        "use nn, nt, tn or tt");
    r.values = values_of("", r.types);
    r.rotate_inputs = true;
    r.measure_energy = false;
    r.timing.trials = o.trials;
    r.timing.budget_s = o.budget_s;
    return r;
}

std::string text_of(const core::tunable_values& way) {
    std::string text;
    for (const auto& [name, value] : way)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
    return text;
}

void print(const tune::finding& found) {
    const double model_us = 1e6 * found.model->median_s;
    const double best_us = 1e6 * found.best->median_s;
    if (!found.model->busy.empty())
        fmt::print("{}: {}\n", describe(found.key), report::no_verdict(found.model->busy));
    else if (found.better)
        fmt::print("{}: {} takes {:.4g} us, the model's choice {:.4g}\n", describe(found.key),
                   text_of(found.tunables), best_us, model_us);
    else
        fmt::print("{}: the model's choice stands, {:.4g} us (the fastest: {:.4g})\n",
                   describe(found.key), model_us, best_us);
    std::fflush(stdout);
}

int run(const tune_options& o) {
    const std::string file = o.tuned.empty() ? tune::usual_file() : o.tuned;
    if (file.empty())
        throw error(
            error_code::invalid_argument,
            "neither XDG_CACHE_HOME nor HOME names a place for the table: give --tuned FILE");
    const request::measurement asked = request_of(o);
    nlohmann::json table = tune::load_table(file);
    files::require_writable(file);
    tune::forget_tables();
    const rows::implementation& entry = *asked.chosen.front().entry;
    for (const request::case_key& key : request::cases_of(asked)) {
        request::measurement one = asked;
        if (const std::string why = rows::reason_against(entry, request::problem_of(key), {});
            !why.empty())
            throw error(error_code::invalid_argument, describe(key) + ": " + why);
        (void)gpu::space(gpu::in_use());  // candidates are planned here, between measurements
        one.chosen = tune::candidates(entry, request::problem_of(key));
        one.shapes = {key.size};
        one.types = {key.type};
        one.base = request::label_of(one.chosen.front(), one.chosen);
        session_options quiet;
        quiet.command = command_line();
        quiet.quiet = true;
        const session_result result = measure(one, quiet);
        if (result.interrupted) return interrupted_by_user;
        const tune::finding found =
            tune::judge(key, one.chosen, result.doc.results, result.doc.comparisons.front());
        print(found);
        if (!found.model->busy.empty()) continue;  // the table keeps what it has
        const nlohmann::json gpu = gpu::describe(gpu::in_use());
        tune::take(table, found,
                   {{"device", gpu.at("name")},
                    {"driver", gpu.at("driver")},
                    {"carat", results::version()},
                    {"revision", result.doc.revision},
                    {"date", result.doc.date}});
        files::write_whole(file, table.dump(1) + "\n");
    }
    fmt::print("wrote {}\n", file);
    return success;
}

}  // namespace

void add_tune(CLI::App& app, action& chosen) {
    CLI::App* sub =
        app.add_subcommand("tune", "measure the plans that the GPU engine chooses from");
    auto o = std::make_shared<tune_options>();
    sub->add_option("--size", o->sizes,
                    "N, MxNxK, first:last:step, first:last:xF, and lists of them")
        ->required();
    sub->add_option("--impl", o->implementation,
                    "cuda.engine, or one of its variants (carat list cuda.engine)")
        ->capture_default_str();
    sub->add_option("--dtype", o->types, "f64, f32, f16, bf16, e4m3, e5m2, i8")
        ->capture_default_str();
    sub->add_option("--layout", o->layout,
                    "nn, nt, tn, tt: A and B stored by rows (n) or by columns (t)")
        ->capture_default_str();
    sub->add_option("--device", o->device, device_help)->capture_default_str();
    sub->add_option("--tuned", o->tuned,
                    "the table to add to (default: tuned.json in the user's cache directory)")
        ->check(file_name());
    sub->add_option("--budget", o->budget_s, "seconds for each way")
        ->check(number(0.01, 1e6))
        ->capture_default_str();
    sub->add_option("--trials", o->trials, "how many of each plan")->check(whole_number(2, 100000));
    sub->footer(
        "Every plan is verified and measured for each case, in turns. A plan that beats the\n"
        "engine's choice by 2 %, with intervals that don't overlap, is stored in a table\n"
        "with GPU, driver, revision and date, and later products of that case use it.\n"
        "CARAT_TUNED=FILE names another table; CARAT_TUNED=none uses none.\n\n"
        "Examples:\n"
        "  carat tune --size 3000,16x4096x4096\n"
        "  carat tune --impl cuda.engine.tf32 --dtype f32 --size 1000\n"
        "  carat tune --dtype e4m3 --layout nt --size 2048 --tuned mine.json");
    sub->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace carat::cli
