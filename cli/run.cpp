// carat run: one implementation on one product, one result line, as document 003 prints it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carat/error.hpp>

#include "cli/call.hpp"
#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/effort.hpp"
#include "cli/measuring.hpp"
#include "cli/outputs.hpp"
#include "cli/phases.hpp"
#include "cli/product.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/report/words.hpp"

namespace carat::cli {

namespace {

struct run_options {
    product_flags product;
    std::string implementation = "engine", type = "f64";
    std::string device = "all", threads, distribution, layout = "nn";
    call_flags call;
    std::int64_t tile_size = 0;
    int trials = 0;
    std::uint64_t seed = 1;
    double settle_s = 0;
    bool verify = false, quiet = false;
    phase_flags phases;
};

void set_tile(request::selection& s, std::int64_t size) {
    const auto [there, added] = s.tunables.try_emplace("tile-size", size);
    if (!added && there->second != size)
        throw error(error_code::invalid_argument,
                    fmt::format("--tile-size is {}, and --impl says tile-size={} for {}: give one "
                                "of them",
                                size, there->second, s.entry->name));
}

// One line has one of each: `names` are those that the option stands for.
void require_one(const char* option, const std::string& given,
                 const std::vector<std::string>& names) {
    if (names.size() == 1) return;
    throw error(error_code::invalid_argument,
                fmt::format("{} '{}' is {}, and run takes one: give one of them (carat bench takes "
                            "lists)",
                            option, given, report::listed(names, 2)));
}

void require_one_product(const run_options& o, const request::measurement& r) {
    std::vector<std::string> implementations, types, threads;
    for (const request::selection& s : r.chosen)
        implementations.push_back(request::label_of(s, r.chosen));
    for (const dtype type : r.types) types.emplace_back(name(type));
    for (const int count : r.threads) threads.push_back(std::to_string(count));
    require_one("--impl", o.implementation, implementations);
    require_one("--dtype", o.type, types);
    require_one("--threads", o.threads, threads);
}

request::measurement request_of(const run_options& o) {
    const int cores = machine::describe().cores;
    request::measurement r;
    r.chosen =
        request::parse_selection(lab::catalogue(), o.implementation, choose_device(o.device));
    r.shapes = {shape_of(o.product)};
    r.types = request::parse_dtypes(o.type);
    r.threads =
        request::parse_threads(o.threads.empty() ? std::to_string(cores) : o.threads, cores);
    require_one_product(o, r);
    r.stored = request::parse_storage(o.layout);
    r.asked = call_of(o.call);
    r.values = values_of(o.distribution, r.types);
    r.timing.trials = o.trials;
    r.timing.budget_s = 2;
    r.seed = o.seed;
    r.settle_s = o.settle_s;
    r.phases = phases_of(o.phases, r.chosen);
    if (o.tile_size != 0) set_tile(r.chosen.front(), o.tile_size);
    return r;
}

// "Batch=64 ", before the fields that scripts know; empty for a product alone.
std::string call_fields(const rows::call& asked) {
    std::string text;
    if (asked.batch > 1) text += fmt::format("Batch={} ", asked.batch);
    if (!asked.groups.empty()) text += fmt::format("Groups={} ", asked.groups);
    if (asked.prepared) text += "Prepared=B ";
    if (asked.alpha != 1) text += fmt::format("Alpha={} ", asked.alpha);
    if (asked.beta != 0) text += fmt::format("Beta={} ", asked.beta);
    if (asked.other_e) text += "E=other ";
    if (asked.block_scales) text += "Scales=blocks ";
    return text;
}

template <class T>
std::string or_dash(const char* form, const std::optional<T>& value) {
    return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

std::string held_back(const results::gpu_facts& gpu) {
    return fmt::format("{}", fmt::join(gpu.throttle_reasons, "+"));
}

std::string kernel_line(const core::kernel_facts& k) {
    return fmt::format(
        "Kernel={} Threads={} Registers={} Shared(B)={} Local(B)={} "
        "Occupancy={:.2f}\n",
        k.name, k.threads, k.registers, k.shared_bytes, k.local_bytes, k.occupancy);
}

// What the GPU did while the trials ran, and a line for each kernel; empty where nothing is known.
std::string gpu_lines(const results::result& c) {
    std::string text;
    if (const auto& gpu = c.gpu) {
        if (gpu->clock_mhz)
            text += fmt::format("Clock(MHz)={} [{},{}] ", gpu->clock_mhz->median,
                                gpu->clock_mhz->least, gpu->clock_mhz->most);
        text += fmt::format(
            "MemoryClock(MHz)={} Power(W)={} Joules/GFLOP={} Temperature(C)={} HeldBack={}\n",
            or_dash("{}", gpu->memory_clock_mhz), or_dash("{:.1f}", gpu->power_w),
            or_dash("{:.4g}", gpu->joules_per_gflop), or_dash("{}", gpu->temperature_c),
            gpu->throttle_reasons.empty() ? "no" : held_back(*gpu));
    }
    for (const core::kernel_facts& k : c.kernels) text += kernel_line(k);
    return text;
}

// NAME(ms)=TIME of each phase and what a program pays once, or why there are no times; empty when
// none were asked for.
std::string phase_lines(const results::result& c) {
    if (!c.end_to_end) return {};
    if (!c.end_to_end->measured())
        return fmt::format("carat: no phases of {}: {}\n", c.implementation, c.end_to_end->reason);
    std::string text = "Phases";
    const auto add = [&](const results::phase& p) {
        std::string name;
        for (std::size_t i = 0; i < p.name.size(); ++i) {
            if (p.name[i] == '_') continue;
            const bool first = i == 0 || p.name[i - 1] == '_';
            name += static_cast<char>(first ? std::toupper(p.name[i]) : p.name[i]);
        }
        text += fmt::format(" {}(ms)={:.4g}", name, 1e3 * p.median_s);
    };
    for (const results::phase& p : c.end_to_end->parts) add(p);
    add(c.end_to_end->total);
    return text + fmt::format(
                      " HostMemory={} Trials={}\n"
                      "Once Prepare(ms)={:.4g} FirstRun(ms)={:.4g}\n",
                      c.end_to_end->host_memory, c.end_to_end->total_trials_s.size(),
                      1e3 * c.prepare_s, 1e3 * c.cold_s);
}

// Returns false when there is no figure to print.
bool print(const results::result& c, const run_options& o) {
    if (!c.available || !c.verified) {
        fmt::print(stderr, "carat: {} has no figure: {}\n", c.implementation, c.reason);
        return false;
    }
    if (o.verify)
        fmt::print("Verified={} MaxAbsError={:.6e} MaxError(ulp)={:.3g} Bound(ulp)={:.3g}\n",
                   c.verification, c.max_abs_error, c.error_ulp, c.error_bound_ulp);
    if (c.trials_s.empty() || o.quiet) return !c.trials_s.empty();
    // Fewer than three processes give no interval: this is the range of the trials, called so.
    const bool interval = results::bounded(c.ci95_gflops);
    const double low = interval ? c.ci95_gflops[0] : c.flop / c.max_s / 1e9;
    const double high = interval ? c.ci95_gflops[1] : c.flop / c.min_s / 1e9;
    fmt::print(
        "Impl={} {}M={} N={} K={} Time(ms)={:.4g} GFLOP/s={:.2f} {}=[{:.2f},{:.2f}] "
        "Type={} {}Trials={} Processes={}\n",
        c.implementation, call_fields(c.asked), c.m, c.n, c.k, 1e3 * c.median_s, c.median_gflops,
        interval ? "CI95" : "Range", low, high, c.dtype,
        c.on_cpu() ? fmt::format("Threads={} ", c.threads_used) : "", c.trials_s.size(),
        std::max<std::size_t>(1, c.trials_per_process.size()));
    fmt::print("{}{}", gpu_lines(c), phase_lines(c));
    return true;
}

int run(const run_options& o) {
    session_options options;
    options.command = command_line();
    options.quiet = true;
    const session_result result = measure(request_of(o), options);
    bool all = !result.doc.results.empty();
    for (const results::result& c : result.doc.results) all = print(c, o) && all;
    if (all) fmt::print("{}", headline(result.doc));
    if (result.interrupted) return interrupted_by_user;
    return all && !result.failed() ? success : bad_answer;
}

}  // namespace

void add_run(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("run", "one product, one line");
    auto o = std::make_shared<run_options>();
    add_product_flags(*sub, o->product);
    sub->add_option("--impl", o->implementation, "an implementation (carat list)")
        ->capture_default_str();
    sub->add_option("--tile-size", o->tile_size, "for implementations that have tiles")
        ->check(whole_number(1, std::numeric_limits<std::int64_t>::max()));
    sub->add_option("--dtype", o->type, dtype_help)->capture_default_str();
    sub->add_option("--layout", o->layout,
                    "nn, nt, tn, tt: A and B by rows (n) or by columns (t); ntt: C by columns, "
                    "too; nn+8: leading dimensions 8 longer")
        ->capture_default_str();
    add_call_flags(*sub, o->call);
    sub->add_option("--device", o->device, device_help)->capture_default_str();
    sub->add_option("--threads", o->threads, "threads (default: all cores)")
        ->check(thread_counts());
    sub->add_option("--trials", o->trials,
                    "how many to take (default: until 2 s are over or the interval is within 1 %)")
        ->check(whole_number(2, 100000));
    add_settle_flag(*sub, o->settle_s, "its interval is wider than 1 %");
    add_distribution_flag(*sub, o->distribution);
    sub->add_option("--seed", o->seed, "of the elements")
        ->check(whole_number(0))
        ->capture_default_str();
    sub->add_flag("--verify", o->verify,
                  "print the error found (every figure is verified, asked or not)");
    sub->add_flag("--quiet", o->quiet, "print the answer alone, without the line of figures");
    add_phase_flags(*sub, o->phases);
    sub->footer(
        "Examples:\n  carat run --m 2048 --n 2048 --k 2048 --impl tiled --tile-size 32 --verify\n"
        "  carat run --size 64x4096x4096 --dtype float --quiet");
    sub->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace carat::cli
