// carat bench: implementations x sizes x types x thread counts, measured until the evidence is in.
#include <string>

#include <carat/error.hpp>

#include "cli/command.hpp"
#include "cli/distributed.hpp"
#include "cli/measured.hpp"
#include "cli/measuring.hpp"
#include "cli/outputs.hpp"
#include "cli/phases.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

struct bench_options {
    measured_flags what;
    std::string base;
    phase_flags phases;
    output_flags files;
    bool pairs = false;
    bool distributed = false;
};

// How the one row that `text` names is labelled.
std::string base_of(const std::string& text, const std::vector<request::selection>& chosen) {
    std::vector<std::string> found;
    const auto asked = request::parse_selection(lab::catalogue(), text);
    for (const request::selection& s : chosen)
        for (const request::selection& a : asked)
            if (a.entry == s.entry && (a.tunables.empty() || a.tunables == s.tunables))
                found.push_back(request::label_of(s, chosen));
    if (found.size() == 1) return found.front();
    const std::string what = found.empty() ? "none" : report::listed(found, 2);
    throw error(error_code::invalid_argument,
                "--base '" + text + "' is " + what + " of those that --impl chooses: name one");
}

request::measurement request_of(const bench_options& o) {
    request::measurement r = request_of(o.what);
    if (!o.base.empty()) r.base = base_of(o.base, r.chosen);
    r.phases = phases_of(o.phases, r.chosen);
    return r;
}

int bench(const bench_options& o) {
    if (o.distributed) return bench_distributed(o.what, o.files);
    check(o.files);
    session_options options = session_options_of(o.files);
    options.all_pairs = o.pairs;
    const session_result result = measure(request_of(o), options);
    leave(o.files, result);
    return result.exit_code();
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("bench", "measure implementations against each other");
    auto options = std::make_shared<bench_options>();
    add_measured_flags(*sub, options->what);
    add_phase_flags(*sub, options->phases);
    add_output_flags(*sub, options->files, "case");
    sub->add_option("--base", options->base,
                    "compare with this implementation alone (default: every pair)");
    sub->add_flag("--pairs", options->pairs, "print every pair's ratio, interval and p-value");
    sub->add_flag("--distributed", options->distributed,
                  "under mpirun: one product over all processes, beside ScaLAPACK, MKL and COSMA; "
                  "with --device cuda: over all GPUs, beside cuBLASMp; takes --size, --dtype, "
                  "--threads, --trials, --json and --report");
    sub->footer(
        "Examples:\n"
        "  carat bench --size 64,1000 --dtype f64,f32 --report a.html\n"
        "  carat bench --impl engine --size 64:999:x2 --threads 1,2\n"
        "  carat bench --size random:7:50 --impl engine,mkl\n"
        "  carat bench --exclude 'cuda.*,ladder' --dtype f64 --quiet\n"
        "  carat bench --json - | jq '.results[].median_gflops'\n"
        "  carat bench --impl 'tiled[tile-size=16],tiled' --size 1000\n"
        "  carat bench --device cuda --impl naive,cublas --phases\n"
        "  carat bench --batch 64 --impl 'engine,engine[loop=1]'\n"
        "  carat bench --dtype bf16 --out bf16 --size 1000\n"
        "  carat bench --dtype bf16 --epilogue bias+gelu --size 1000\n"
        "  carat bench --beta 1 --alpha -0.5 --size 1000 --dtype f32\n"
        "  carat bench --json a.json --resume   after an interruption\n"
        "  carat bench --distributed            under mpirun -n 4\n"
        "  carat bench --distributed --device cuda --dtype bf16");
    sub->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace carat::cli
