#include "cli/measured.hpp"

#include "cli/checks.hpp"
#include "cli/pattern.hpp"
#include "cli/values.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/machine/description.hpp"

namespace carat::cli {

namespace {

void add_selection_flags(CLI::App& sub, measured_flags& o) {
    sub.add_option("--impl", o.implementations,
                   "names, tails of names, groups (cpu.ladder.*, all), with tunables "
                   "(tiled[tile-size=32])")
        ->capture_default_str();
    sub.add_option("--exclude", o.excluded, "leave these out: patterns as carat list takes them")
        ->check(pattern());
    sub.add_option("--size", o.sizes,
                   "N, MxNxK, first:last:step, first:last:xF, and lists of them; random:SEED:COUNT "
                   "(:2e8:1e12 operations :8 multiples), stream-k:SEED:COUNT, models: corpora")
        ->capture_default_str();
    sub.add_option("--dtype", o.types, dtype_help)->capture_default_str();
    sub.add_option("--layout", o.layout,
                   "nn, nt, tn, tt: A and B by rows (n) or by columns (t); ntt: C by columns, "
                   "too; nn+8: leading dimensions 8 longer")
        ->capture_default_str();
    add_call_flags(sub, o.call);
    sub.add_option("--device", o.device, device_help)->capture_default_str();
    sub.add_option("--threads", o.threads, "thread counts (default: all cores)")
        ->check(thread_counts());
}

void add_measuring_flags(CLI::App& sub, measured_flags& o) {
    add_effort_flags(sub, o.effort, "case");
    add_settle_flag(sub, o.effort.settle_s, "a verdict is unclear");
    add_distribution_flag(sub, o.distribution);
    sub.add_option("--inputs", o.inputs, "hot: one set; rotated: enough sets to defeat the caches")
        ->check(CLI::IsMember({"hot", "rotated"}))
        ->capture_default_str();
    sub.add_flag("--no-energy", o.no_energy,
                 "leave joules out, which take a third of a second for each GPU implementation");
    sub.add_option("--operations", o.operations, "how operations are counted")
        ->check(CLI::IsMember({"2mnk", "2n3-n2"}))
        ->capture_default_str();
}

}  // namespace

void add_measured_flags(CLI::App& sub, measured_flags& flags) {
    add_selection_flags(sub, flags);
    add_measuring_flags(sub, flags);
}

request::measurement request_of(const measured_flags& o) {
    const int cores = machine::describe().cores;
    request::measurement r;
    r.chosen =
        request::parse_selection(lab::catalogue(), o.implementations, choose_device(o.device));
    if (!o.excluded.empty()) exclude(r.chosen, o.excluded);
    r.shapes = request::parse_shapes(o.sizes);
    r.types = request::parse_dtypes(o.types);
    r.threads =
        request::parse_threads(o.threads.empty() ? std::to_string(cores) : o.threads, cores);
    r.stored = request::parse_storage(o.layout);
    r.asked = call_of(o.call);
    r.values = values_of(o.distribution, r.types);
    r.rotate_inputs = o.inputs == "rotated";
    r.convention = o.operations == "2mnk" ? request::operation_count::multiply_add
                                          : request::operation_count::exact;
    r.measure_energy = !o.no_energy;
    set_effort(r, o.effort);
    return r;
}

}  // namespace carat::cli
