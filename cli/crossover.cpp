// carat crossover: the size at which a GPU starts to pay, everything it costs included.
#include "lab/report/crossover.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/crossing.hpp"
#include "cli/effort.hpp"
#include "cli/measuring.hpp"
#include "cli/outputs.hpp"
#include "cli/phases.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/results/document.hpp"

namespace carat::cli {

namespace {

// One line each.
std::string crossover_verdicts(const results::document& doc) {
    std::string text;
    for (std::string& said : report::crossover_sentences(doc)) {
        std::erase(said, '`');
        text += styled(wrapped(said, 0), style::strong) + "\n";
    }
    const auto has_few = [](const results::crossover& c) { return c.few_trials; };
    if (std::ranges::any_of(doc.crossovers, has_few))
        text += "   fewer than 20 trials around a crossing: treat it with care\n";
    return text;
}

// So that no sample is too small for its interval.
constexpr int fewest_trials = 20;

struct crossover_options {
    std::string cpu = "engine,openblas,mkl,onednn,eigen", gpu = "naive,tiled,cublas";
    std::string sizes = "2:512:x2,1024,2048,4096,10240", type = "f32", threads;
    std::string device = "cuda";
    phase_flags phases{.on = true};
    effort_flags effort{.ci_width = 0.02, .budget_s = 0.3, .limit_s = 2};
    output_flags files;
};

void require_squares(const std::vector<request::shape>& shapes) {
    for (const request::shape& s : shapes)
        if (s.m != s.n || s.n != s.k)
            throw error(error_code::invalid_argument,
                        fmt::format("size {}x{}x{} is not square: crossover compares N x N x N, "
                                    "so give N",
                                    s.m, s.n, s.k));
    if (shapes.size() < 2)
        throw error(error_code::invalid_argument,
                    "a crossover lies between sizes: give --size two or more");
}

void require_gpu(const std::string& device) {
    if (choose_device(device) != rows::device::cuda)
        throw error(error_code::invalid_argument, "device '" + device +
                                                      "' is no GPU: crossover takes cuda or "
                                                      "cuda:N, and the CPU it has anyway");
    if (const std::string why = gpu::unavailable(gpu::in_use()); !why.empty())
        throw error(error_code::unsupported, "crossover needs a GPU: " + why);
}

request::measurement request_of(const crossover_options& o) {
    const int cores = machine::describe().cores;
    request::measurement r;
    r.chosen = request::parse_selection(lab::catalogue(), o.cpu, rows::device::cpu);
    for (request::selection& s :
         request::parse_selection(lab::catalogue(), o.gpu, rows::device::cuda))
        r.chosen.push_back(std::move(s));
    r.shapes = request::parse_shapes(o.sizes);
    r.types = request::parse_dtypes(o.type);
    r.threads =
        request::parse_threads(o.threads.empty() ? std::to_string(cores) : o.threads, cores);
    if (r.types.size() != 1 || r.threads.size() != 1)
        throw error(error_code::invalid_argument,
                    "crossover takes one --dtype and one --threads: run it once for each");
    require_squares(r.shapes);
    r.values = values_of("", r.types);
    r.phases = phases_of(o.phases, r.chosen);
    r.measure_energy = false;  // takes longer than all else here
    set_effort(r, o.effort);
    r.timing.fewest_trials = fewest_trials;
    return r;
}

session_options options_of(const crossover_options& o, const request::measurement& r) {
    session_options options = session_options_of(o.files);
    options.quiet = true;
    follow_crossings(options, r);
    return options;
}

// Why implementations took no part, once each.
std::string absences(const results::document& doc) {
    std::string text;
    std::vector<std::string> told;
    for (const results::result& c : doc.results) {
        const bool phases_failed = c.end_to_end && !c.end_to_end->measured();
        const std::string& reason = phases_failed ? c.end_to_end->reason : c.reason;
        if (reason.empty() || std::ranges::find(told, c.implementation) != told.end()) continue;
        told.push_back(c.implementation);
        const std::string line = fmt::format("{} from N = {}: {}", c.implementation, c.n, reason);
        text += "   " + wrapped(line, 6) + "\n";
    }
    return text;
}

int measure_crossover(const crossover_options& o) {
    require_gpu(o.device);
    check(o.files);
    const request::measurement r = request_of(o);
    const session_result result = measure(r, options_of(o, r));
    const bool crosses = !result.doc.crossovers.empty();
    fmt::print(people(), "{}, {} thread{} against GPU {} from {} host memory\n", o.type,
               r.threads.front(), r.threads.front() == 1 ? "" : "s", gpu::in_use(),
               request::name(*r.phases));
    if (crosses && !o.files.quiet)
        fmt::print(people(), "{}", table_text(report::crossover_table(result.doc)));
    fmt::print(people(), "{}{}", absences(result.doc), crossover_verdicts(result.doc));
    leave(o.files, result);
    if (result.interrupted) return interrupted_by_user;
    if (!crosses) fmt::print(stderr, "carat: no size has both a CPU and a GPU figure\n");
    return !crosses || result.failed() ? bad_answer : success;
}

void add_selection_flags(CLI::App& sub, crossover_options& o) {
    sub.add_option("--cpu", o.cpu, "CPU implementations; the best at each size counts")
        ->capture_default_str();
    sub.add_option("--gpu", o.gpu, "GPU implementations; each is set against it")
        ->capture_default_str();
    sub.add_option("--size", o.sizes, "N, first:last:step, first:last:xF, and lists of them")
        ->capture_default_str();
    sub.add_option("--dtype", o.type, "f64, f32, i32, ...")->capture_default_str();
    sub.add_option("--device", o.device, "cuda, or cuda:N for the N-th GPU")->capture_default_str();
    sub.add_option("--threads", o.threads, "threads of the CPU's products (default: all cores)")
        ->check(thread_counts());
    add_host_memory_flag(sub, o.phases);
}

}  // namespace

void add_crossover(CLI::App& app, action& chosen) {
    CLI::App* sub =
        app.add_subcommand("crossover", "the size from which a GPU pays, copies included");
    auto o = std::make_shared<crossover_options>();
    add_selection_flags(*sub, *o);
    add_effort_flags(*sub, o->effort, "size");
    add_output_flags(*sub, o->files, "size");
    sub->footer(
        "A GPU's time is that of allocating, copying in, computing, copying out and\n"
        "freeing; a CPU's is that of the product. Sizes are added around a crossing.\n\n"
        "Examples:\n"
        "  carat crossover --json crossover.json --report crossover.html\n"
        "  carat crossover --dtype f64 --size 16:1024:x2 --host-memory pinned");
    sub->callback([o, &chosen] { chosen = [o] { return measure_crossover(*o); }; });
}

}  // namespace carat::cli
