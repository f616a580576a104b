// carat explain: why one product takes the time it takes, and what would change it.
#include <algorithm>
#include <fmt/format.h>

#include <carat/error.hpp>

#include "cli/call.hpp"
#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/explain_set.hpp"
#include "cli/explain_text.hpp"
#include "cli/measuring.hpp"
#include "cli/product.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/explain/explanation.hpp"
#include "lab/gpu/gpu.hpp"

namespace carat::cli {

namespace {

struct explain_options {
    product_flags product;
    call_flags call;
    std::string type, threads, device = "all", implementation;
    std::string set, set_file;
    double budget_s = 1;
    bool json = false;
};

request::case_key key_of(const explain_options& o) {
    const int cores = machine::describe().cores;
    const request::shape size = shape_of(o.product);
    const auto types = request::parse_dtypes(o.type.empty() ? "f64" : o.type);
    const auto threads =
        request::parse_threads(o.threads.empty() ? std::to_string(cores) : o.threads, cores);
    if (types.size() != 1 || threads.size() != 1)
        throw error(error_code::invalid_argument,
                    "explain takes one --dtype and one --threads: run it once for each");
    const rows::call asked = call_of(o.call);
    return {request::size_of(size, asked), types.front(), threads.front(), {}, asked};
}

// The full name of what --impl means; a build without CUDA knows the GPU's steps, too.
std::string name_meant(const std::string& text, std::optional<rows::device> only) {
    const std::string_view step = explain::step_named(text, only == rows::device::cuda);
    if (!step.empty()) return std::string(step);
    return std::string(lab::catalogue().find(text, only.value_or(rows::device::cpu)).name);
}

// A step of the GPU's ladder is explained for the type that its counts are of, unless asked.
explain_options completed(explain_options o) {
    if (o.implementation.empty()) return o;
    o.implementation = name_meant(o.implementation, choose_device(o.device));
    for (const explain::gpu_step& s : explain::gpu_steps())
        if (s.implementation == o.implementation && o.type.empty()) {
            o.type = s.counted_for;
            if (o.type == "bf16" && o.call.out.empty()) o.call.out = "bf16";
        }
    return o;
}

// The session that measures what was chosen for one device. A GPU's inputs rotate, since its plans
// foretell what comes from memory; a CPU's stay where the bounds have them.
request::measurement request_of(const explain_options& o, const request::case_key& key,
                                const rows::implementation& entry) {
    request::measurement r;
    r.chosen.push_back({&entry, {}, true});
    r.shapes = {key.size};
    r.types = {key.type};
    r.asked = key.asked;
    r.values = values_of("", r.types);
    r.threads = {key.threads};
    r.timing.budget_s = o.budget_s;
    r.measure_energy = false;
    r.rotate_inputs = entry.where == rows::device::cuda;
    return r;
}

int run(const explain_options& asked) {
    const explain_options o = completed(asked);
    if (!o.set.empty())
        return explain_set({o.set, o.type.empty() ? "f64" : o.type, o.set_file, o.budget_s});
    const std::optional<rows::device> only = choose_device(o.device);
    const request::case_key key = key_of(o);
    const std::vector<explain::choice> chosen =
        o.implementation.empty()
            ? explain::choose(lab::catalogue(), key, only)
            : std::vector{explain::choose(lab::catalogue(), key, o.implementation)};
    request::measurement all;
    std::vector<results::result> results;
    int code = success;
    for (const explain::choice& c : chosen) {
        if (c.entry == nullptr) continue;
        const request::measurement r = request_of(o, key, *c.entry);
        session_options options;
        options.command = command_line();
        options.quiet = true;
        const session_result result = measure(r, options);
        if (result.interrupted) return interrupted_by_user;
        code = std::max(code, result.exit_code());
        results.insert(results.end(), result.doc.results.begin(), result.doc.results.end());
        all.chosen.push_back(r.chosen.front());
    }
    const known_machine known = know_machine(all);
    const explain::explanation told =
        explain::explain(key, chosen,
                         {known.description, known.limits, gpu::describe(gpu::in_use()),
                          known.gpu ? &known.gpu->limits : nullptr},
                         results);
    if (o.json)
        fmt::print("{}\n", explain::to_json(told).dump(1));
    else
        fmt::print("{}", folded_lines(explain_text(told), 4));
    const bool is_told =
        std::ranges::any_of(told.devices, [](const auto& d) { return d.step.has_value(); });
    return results.empty() && !is_told ? bad_answer : code;
}

}  // namespace

void add_explain(CLI::App& app, action& chosen) {
    CLI::App* sub = app.add_subcommand("explain", "why a product takes the time it takes");
    auto o = std::make_shared<explain_options>();
    add_product_flags(*sub, o->product);
    sub->add_option(
        "--impl", o->implementation,
        "an implementation instead of the engine (carat list); for a step of the ladder it "
        "also says what limits it and what the next step changes");
    sub->add_option("--dtype", o->type, dtype_help)->default_str("f64");
    add_call_flags(*sub, o->call);
    sub->add_option("--threads", o->threads, "threads (default: all cores)")
        ->check(thread_counts());
    sub->add_option("--device", o->device, device_help)->capture_default_str();
    sub->add_option("--budget", o->budget_s, "seconds to measure each implementation")
        ->check(number(0.01, 1e6))
        ->capture_default_str();
    auto* const json = sub->add_flag("--json", o->json, "print JSON, with every figure unrounded");
    auto* const set =
        sub->add_option(
               "--set", o->set,
               "SEED:COUNT: instead, predict and measure so many random products on the GPU, "
               "of each type in turn")
            ->check(file_name())
            ->excludes("--impl", "--size", "--m", "--n", "--k", "--threads", "--device")
            ->excludes(json);
    sub->add_option("--set-file", o->set_file, "write all of a --set here, as JSON")
        ->check(file_name())
        ->needs(set);
    sub->footer(
        "Prints what would run and why, the limits set by the roofline and by the traffic\n"
        "between the caches, on a GPU the prediction of the plan's model, a short and\n"
        "verified measurement, and what would have to change.\n\n"
        "Examples:\n"
        "  carat explain --size 1000\n"
        "  carat explain --size 32x4096x4096 --dtype float --threads 1\n"
        "  carat explain --size 512 --batch 64 --beta 1\n"
        "  carat explain --m 64 --n 64 --k 64 --json\n"
        "  carat explain --impl ladder.wgmma --size 4096\n"
        "  carat explain --set 7:100 --dtype bf16,f32 --budget 0.1 --set-file set.json");
    sub->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace carat::cli
