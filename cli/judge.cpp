// carat judge: a user's product, held against what is right and what is best here.
#include "lab/judge/judge.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "files/visible.hpp"
#include "lab/files/output.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/judge/draws.hpp"
#include "lab/judge/worker.hpp"
#include "lab/machine/description.hpp"
#include "lab/report/report.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

struct judge_options {
    std::string target, sizes, type, threads, json, report;
    std::optional<std::string> seed;
    double at_least = 0.9, time_s = 10, timeout_s = 60;
    bool on_gpu = false, quiet = false;
};

template <class T>
T only(const char* option, const std::string& given, const std::vector<T>& of) {
    if (of.size() == 1) return of.front();
    throw error(error_code::invalid_argument,
                fmt::format("{} '{}' names {}, and judge takes one", option, given, of.size()));
}

judge::options request_of(const judge_options& o) {
    const int cores = machine::describe().cores;
    judge::options r;
    r.target = o.target;
    if (!o.sizes.empty()) r.sizes = request::parse_shapes(o.sizes);
    if (!o.type.empty()) r.type = only("--dtype", o.type, request::parse_dtypes(o.type));
    const std::string threads = o.threads.empty() ? std::to_string(cores) : o.threads;
    r.threads = only("--threads", threads, request::parse_threads(threads, cores));
    if (o.seed && o.seed->empty())
        throw error(error_code::invalid_argument,
                    "--seed '' is no text: give any, or leave it out to have one drawn");
    r.seed = o.seed ? *o.seed : judge::fresh_seed();
    hide_from_others(r.seed);
    r.at_least = o.at_least;
    r.python_on_gpu = o.on_gpu;
    r.time_s = o.time_s;
    r.timeout_s = o.timeout_s;
    return r;
}

void print(const judge::timed_case& c, const judge::timed& of) {
    fmt::print("  {:<34} {:>10.4g} {:>10.2f}\n", shortened_middle(of.name, 34), 1e3 * of.median_s,
               c.gflops(of));
}

void print(const judge::outcome& o) {
    const std::string where =
        o.gpu.empty() ? report::counted(static_cast<std::size_t>(o.threads), "thread") : o.gpu;
    fmt::print("{}{}, seed {}\n", o.type.empty() ? "" : o.type + ", ", where,
               files::visible(o.seed));
    if (o.bounded && !o.boundary.empty())
        fmt::print("kept apart by {}\n", report::listed(o.boundary, o.boundary.size()));
    for (const judge::timed_case& c : o.cases) {
        fmt::print("\n  {:<34} {:>10} {:>10}\n",
                   fmt::format("{}x{}x{}, {} rows", c.size.m, c.size.n, c.size.k, name(c.rows)),
                   "ms", "GFLOP/s");
        for (const judge::timed& peer : c.peers) print(c, peer);
        print(c, c.target);
        fmt::print("  {:.2f} of {} (95 % CI {:.2f} to {:.2f})\n", c.ratio, c.peers.front().name,
                   c.ci95_ratio[0], c.ci95_ratio[1]);
    }
    if (!o.cases.empty()) fmt::print("\n");
    if (!o.refused.empty())
        fmt::print("it does not take every product: it refused {}\n",
                   files::visible(report::listed(o.refused, 3)));
    if (!o.libraries.empty())
        fmt::print("it loaded {}\n", files::visible(report::listed(o.libraries, 6)));
    for (const std::string& warning : o.warnings) fmt::print("{}\n", files::visible(warning));
}

int exit_code(judge::ruling ruled) {
    switch (ruled) {
        case judge::ruling::right:
            return success;
        case judge::ruling::slower:
            return bad_answer;
        case judge::ruling::wrong:
            return bad_input;
        case judge::ruling::unclear:
        case judge::ruling::none:
            break;
    }
    return no_judgement;
}

std::string page(const judge::outcome& o) {
    results::document doc = judge::document_of(o);
    doc.command = command_line();
    doc.machine = machine::to_json(machine::describe());
    doc.machine["gpus"] = nlohmann::json::array();
    if (!o.gpu.empty()) doc.machine["gpus"].push_back(gpu::describe(gpu::in_use()));
    return report::html(doc);
}

int run(const judge_options& o) {
    const judge::options r = request_of(o);
    require_apart({{"--json", o.json}, {"--report", o.report}});
    for (const std::string& file : {o.json, o.report})
        if (!file.empty()) files::require_writable(file);
    catch_interrupts();
    progress_line line;
    judge::hooks user;
    user.interrupted = interrupted;
    user.progress = [&](const std::string& what, double share) { line.show(what, share); };
    try {
        const judge::outcome done = judge::judge(r, user);
        line.clear();
        if (!o.json.empty()) files::write_whole(o.json, judge::to_json(done).dump(2) + "\n");
        if (!o.report.empty()) files::write_whole(o.report, page(done));
        if (!o.quiet) print(done);
        fmt::print("{}\n", files::visible(done.sentence()));
        return exit_code(done.ruled);
    } catch (const judge::interrupted&) {
        return interrupted_by_user;
    }
}

}  // namespace

void add_judge(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("judge", "check and time a matrix product that you wrote");
    auto o = std::make_shared<judge_options>();
    sub->add_option("TARGET", o->target,
                    "a shared object with a carat_kernel (docs/judge.md), a .c, .cpp or .cu file, "
                    "or FILE.py:FUNCTION")
        ->required()
        ->check(file_name());
    sub->add_option("--size", o->sizes,
                    "the sizes to time, such as 512,1000x500x64 (default: 512, on a GPU 4096, "
                    "and a random one)");
    sub->add_option("--dtype", o->type, "f64, f32, f16, bf16, i8 (default: the first it takes)");
    sub->add_flag("--gpu", o->on_gpu,
                  "the Python function takes tensors on the GPU, and uses its current stream");
    sub->add_option("--threads", o->threads, "how many threads it may use (default: all cores)")
        ->check(thread_counts());
    sub->add_option(
        "--seed", o->seed,
        "any text: repeats the draws of a judgement (default: 128 bits of the system's, "
        "printed)");
    sub->add_option("--at-least", o->at_least,
                    "of the best one's speed; 0: only whether it is right")
        ->check(number(0, 100))
        ->capture_default_str();
    sub->add_option("--time", o->time_s, "seconds for the trials of each size")
        ->check(number(0.01, 86400))
        ->capture_default_str();
    sub->add_option("--timeout", o->timeout_s, "seconds it may take for one set of calls")
        ->check(number(0.1, 86400))
        ->capture_default_str();
    sub->add_option("--json", o->json, "write the judgement here")->check(file_name());
    sub->add_option("--report", o->report, "write it as an HTML page here")->check(file_name());
    sub->add_flag("--quiet", o->quiet, "the verdict alone");
    sub->footer(
        "Exit code: 0 right and fast enough; 1 right, too slow; 2 wrong; 3 no judgement\n"
        "(bad usage, a busy machine, unclear: the interval of its speed holds what was\n"
        "asked for).\n\n"
        "Examples:\n"
        "  carat judge mine.cpp                        compiled, checked, timed\n"
        "  carat judge mine.so --dtype f32 --threads 1 --size 1000,64x64x4096\n"
        "  carat judge mine.py:product --at-least 0    is it right?\n"
        "  carat judge mine.py:kernel --gpu            tensors of PyTorch, or Triton\n"
        "  carat judge mine.c --at-least 0.5 --json verdict.json");
    sub->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace carat::cli
