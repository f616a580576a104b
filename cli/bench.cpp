// carat bench: implementations x sizes x types x thread counts, measured until the evidence is in.
#include <string>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/device.hpp"
#include "cli/effort.hpp"
#include "cli/measuring.hpp"
#include "cli/outputs.hpp"
#include "cli/phases.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

struct bench_options {
    std::string implementations = "all", sizes = "256,1000,2000", types = "f64", threads;
    std::string device = "all", distribution, inputs = "hot", operations = "2mnk";
    std::string layout = "nn", base;
    effort_flags effort{.ci_width = 0.01, .budget_s = 5, .limit_s = 0};
    phase_flags phases;
    output_flags files;
    bool pairs = false;
};

// How the one row that `text` names is labelled.
std::string base_of(const std::string& text, const std::vector<session::selection>& chosen) {
    std::vector<std::string> found;
    const auto asked = session::parse_selection(lab::catalogue(), text);
    for (const session::selection& s : chosen)
        for (const session::selection& a : asked)
            if (a.entry == s.entry && (a.tunables.empty() || a.tunables == s.tunables))
                found.push_back(session::label_of(s, chosen));
    if (found.size() == 1) return found.front();
    const std::string what = found.empty() ? "none" : report::listed(found, 2);
    throw error(error_code::invalid_argument,
                "--base '" + text + "' is " + what + " of those that --impl chooses: name one");
}

session::request request_of(const bench_options& o) {
    const int cores = machine::describe().cores;
    session::request r;
    r.chosen =
        session::parse_selection(lab::catalogue(), o.implementations, choose_device(o.device));
    r.shapes = session::parse_shapes(o.sizes);
    r.types = session::parse_dtypes(o.types);
    r.threads =
        session::parse_threads(o.threads.empty() ? std::to_string(cores) : o.threads, cores);
    r.stored = session::parse_storage(o.layout);
    r.values = values_of(o.distribution, r.types);
    r.rotate_inputs = o.inputs == "rotated";
    r.convention = o.operations == "2mnk" ? session::operation_count::multiply_add
                                          : session::operation_count::exact;
    set_effort(r, o.effort);
    if (!o.base.empty()) r.base = base_of(o.base, r.chosen);
    r.phases = phases_of(o.phases, r.chosen);
    return r;
}

int bench(const bench_options& o) {
    check(o.files);
    session_options options;
    options.out = {o.files.json, o.files.csv};
    options.command = command_line();
    options.resume = o.files.resume;
    options.all_pairs = o.pairs;
    const session_result result = measure(request_of(o), options);
    leave(o.files, result);
    return result.exit_code();
}

void add_selection_flags(CLI::App& sub, bench_options& o) {
    sub.add_option("--impl", o.implementations,
                   "names, tails of names, groups (cpu.ladder.*, all), with tunables "
                   "(tiled[tile-size=32])")
        ->capture_default_str();
    sub.add_option("--size", o.sizes, "N, MxNxK, first:last:step, first:last:xF, and lists of them")
        ->capture_default_str();
    sub.add_option("--dtype", o.types, "f64, f32, f16, bf16, e4m3, e5m2, i32, i8, u8")
        ->capture_default_str();
    sub.add_option("--layout", o.layout,
                   "nn, nt, tn, tt: A and B by rows (n) or by columns (t); ntt: C by columns, "
                   "too; nn+8: leading dimensions 8 longer")
        ->capture_default_str();
    sub.add_option("--device", o.device, device_help)->capture_default_str();
    sub.add_option("--threads", o.threads, "thread counts (default: all cores)")
        ->check(thread_counts());
}

void add_measuring_flags(CLI::App& sub, bench_options& o) {
    add_effort_flags(sub, o.effort, "case");
    add_settle_flag(sub, o.effort.settle_s, "a verdict is unclear");
    add_distribution_flag(sub, o.distribution);
    sub.add_option("--inputs", o.inputs, "hot: one set; rotated: enough sets to defeat the caches")
        ->check(CLI::IsMember({"hot", "rotated"}))
        ->capture_default_str();
    sub.add_option("--operations", o.operations, "how operations are counted")
        ->check(CLI::IsMember({"2mnk", "2n3-n2"}))
        ->capture_default_str();
    add_phase_flags(sub, o.phases);
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("bench", "measure implementations against each other");
    auto options = std::make_shared<bench_options>();
    add_selection_flags(*sub, *options);
    add_measuring_flags(*sub, *options);
    add_output_flags(*sub, options->files, "case");
    sub->add_option("--base", options->base,
                    "compare with this implementation alone (default: every pair)");
    sub->add_flag("--pairs", options->pairs, "print every pair's ratio, interval and p-value");
    sub->footer(
        "Examples:\n"
        "  carat bench --size 256,1000 --dtype f64,f32 --report out.html\n"
        "  carat bench --impl openblas,blis,engine --size 128:4096:x2 --threads 1,2\n"
        "  carat bench --impl 'tiled[tile-size=16],tiled[tile-size=64]' --size 1000\n"
        "  carat bench --device cuda --impl naive,cublas --dtype f32 --phases\n"
        "  carat bench --json out.json --resume     after an interruption");
    sub->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace carat::cli
