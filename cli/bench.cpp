// carat bench: implementations x sizes x types x thread counts, measured until the evidence is in.
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <carat/error.hpp>

#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/measured.hpp"
#include "cli/measuring.hpp"
#include "cli/outputs.hpp"
#include "cli/phases.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/process/program.hpp"
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

// bench --distributed: the command makes room for a program that links MPI, or that drives several
// GPUs. Does not return unless it throws carat::error.
[[noreturn]] void refuse_over_ranks(const std::string& why) {
    throw error(error_code::invalid_argument, "--distributed " + why);
}

// A program of lib/carat beside the command, in a build and once installed. ./dev bench builds the
// command alone.
std::string file_of_program(const char* name, const std::string& needed = {}) {
    std::error_code unknown;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const auto build = own.parent_path().parent_path();
    const auto file = build / "lib/carat" / name;
    if (std::filesystem::exists(file)) return file.string();
    const bool is_build = std::filesystem::exists(build / "CMakeCache.txt");
    throw error(error_code::unsupported,
                "--distributed: lib/carat/" + std::string(name) + " is not there: " +
                    (is_build ? "run cmake --build " + build.string() : "install all of carat") +
                    needed);
}

[[noreturn]] void become_program(std::vector<std::string> words) {
    execv(words.front().c_str(), process::pointers_to(words).data());
    throw error(error_code::unsupported,
                "--distributed: " + words.front() + " can't be started: build carat again");
}

dtype type_of(const measured_flags& what) {
    const auto types = request::parse_dtypes(what.types);
    if (types.size() != 1) refuse_over_ranks("takes one --dtype: run it once for each");
    return types.front();
}

request::shape size_of(const measured_flags& what, const char* otherwise) {
    return request::parse_one_shape(what.sizes == measured_flags{}.sizes ? otherwise : what.sizes);
}

std::vector<std::string> over_processes(const measured_flags& what) {
    const request::shape size = size_of(what, "2048");
    std::vector<std::string> words = {
        file_of_program("ranks_bench",
                        "; it needs an MPI (libopenmpi-dev) where carat is configured"),
        "--m",
        std::to_string(size.m),
        "--n",
        std::to_string(size.n),
        "--k",
        std::to_string(size.k),
        "--dtype",
        std::string(name(type_of(what)))};
    if (!what.threads.empty()) words.insert(words.end(), {"--threads", what.threads});
    return words;
}

// The product in the layouts that suit it, all-gather + product, and product + reduce-scatter.
std::vector<std::string> over_gpus(const measured_flags& what) {
    if (type_of(what) != dtype::bf16)
        refuse_over_ranks("--device cuda measures bf16, not " + std::string(name(type_of(what))) +
                          ": give --dtype bf16");
    const request::shape size = size_of(what, "8192");
    const std::string text =
        std::to_string(size.m) + "x" + std::to_string(size.n) + "x" + std::to_string(size.k);
    return {file_of_program("gpus_bench"),
            "--size",
            text,
            "--gather",
            text,
            "--scatter",
            text,
            "--by",
            "local,copies,nccl,cublasmp,cublasmp.serial"};
}

int bench_distributed(const measured_flags& what, const output_flags& files) {
    if (!files.csv.empty() || files.resume)
        refuse_over_ranks("writes --json and --report: leave --csv and --resume out");
    require_apart({{"--json", files.json}, {"--report", files.report}});
    std::vector<std::string> words = what.device == "cuda" ? over_gpus(what) : over_processes(what);
    const auto add = [&](const char* flag, const std::string& value) {
        words.insert(words.end(), {flag, value});
    };
    if (what.effort.trials > 0) add("--trials", std::to_string(what.effort.trials));
    if (!files.json.empty()) add("--json", files.json);
    if (!files.report.empty()) {
        add("--report", files.report);
        add("--command", command_line());
    }
    become_program(std::move(words));
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
