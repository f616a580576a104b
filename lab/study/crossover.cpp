// Document 001: from which size is a GPU faster than the CPU, everything included?
//
// It ran each size once, its CPU baseline lost -O3 to a missing space, and cuBLAS was timed with
// its handle. Here the best CPU implementation counts, and the size has an interval.
#include "lab/report/crossover.hpp"

#include <fmt/format.h>
#include <limits>

#include "lab/report/words.hpp"
#include "lab/study/published.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr std::string_view crossover_type = "f32";
constexpr std::string_view simple_cpu = "cpu.ladder.naive";

std::vector<part> crossover_parts(const options& how) {
    part all{request(how,
                     "cpu.ladder.naive,cpu.engine,vendor.openblas,vendor.mkl,cuda.ladder.naive,"
                     "cuda.ladder.tiled[tile-size=16],vendor.cublas",
                     how.how_much == extent::quick ? 0.3 : 1),
             true};
    request::measurement& r = all.request;
    r.types = {dtype::f32};
    r.measure_energy = false;
    r.timing.fewest_trials = 20;
    r.timing.ci_width = 0.02;
    r.slowest_run_s = 2;
    if (how.on_gpu) r.phases = request::host_memory::pageable;
    switch (how.how_much) {
        case extent::quick:
            r.shapes = request::parse_shapes("16:512:x2");
            break;
        case extent::usual:
            r.shapes = request::parse_shapes("2:1024:x2");
            break;
        case extent::full:
            r.shapes = request::parse_shapes("2:512:x2,1024:10240:1024");
            r.slowest_run_s = 20;
            break;
    }
    return {all};
}

const results::result* best_cpu(const results::document& doc, std::int64_t n) {
    const results::result* best = nullptr;
    for (const results::result& c : doc.results)
        if (c.has_figure() && c.on_cpu() && c.dtype == crossover_type && c.n == n && c.m == n &&
            (best == nullptr || c.median_s < best->median_s))
            best = &c;
    return best;
}

double end_to_end_s(const results::result* c) {
    if (c == nullptr || !c->end_to_end || !c->end_to_end->measured())
        return std::numeric_limits<double>::quiet_NaN();
    return c->end_to_end->total.median_s;
}

std::string time_or_dash(double time_s) {
    return time_s > 0 ? report::duration(time_s) : "-";
}

table times(const results::document& doc) {
    table t{"Time of a product, end to end on a GPU",
            {"N", "naive CPU", "best CPU", "which", "GPU naive", "GPU tiled", "cuBLAS"},
            {},
            "GPU times hold allocation, copies from and to pageable memory, the product and the "
            "release."};
    for (const std::int64_t n : sizes(doc, crossover_type)) {
        const results::result* simple = measured(doc, simple_cpu, crossover_type, n);
        const results::result* best = best_cpu(doc, n);
        const auto gpu = [&](std::string_view name) {
            return time_or_dash(end_to_end_s(measured(doc, name, crossover_type, n)));
        };
        t.rows.push_back({fmt::format("{}", n), time_or_dash(simple ? simple->median_s : 0),
                          time_or_dash(best ? best->median_s : 0),
                          best ? last_part(best->implementation) : "-", gpu("cuda.ladder.naive"),
                          gpu("cuda.ladder.tiled"), gpu("vendor.cublas")});
    }
    return t;
}

table phases(const results::document& doc, std::int64_t n) {
    table t{fmt::format("Where the time goes at N = {}", n),
            {"implementation", "allocate", "copy in", "compute", "copy out", "free", "total"},
            {},
            {}};
    for (const results::result& c : doc.results) {
        if (c.n != n || c.m != n || !c.end_to_end || !c.end_to_end->measured()) continue;
        const results::phases& p = *c.end_to_end;
        const auto lap = [&](std::string_view name) {
            const results::phase* one = p.find(name);
            return one == nullptr ? std::string("-") : report::duration(one->median_s);
        };
        t.rows.push_back({c.implementation, lap("allocate"), lap("copy_in"), lap("compute"),
                          lap("copy_out"), lap("free"), lap("total")});
    }
    return t;
}

// The size at which the document's baseline, three plain loops on the CPU, loses: an artefact of a
// baseline that nobody would run.
std::string against_the_simple_loop(const results::document& doc) {
    for (const std::int64_t n : sizes(doc, crossover_type)) {
        const results::result* simple = measured(doc, simple_cpu, crossover_type, n);
        const double gpu_s = end_to_end_s(measured(doc, "vendor.cublas", crossover_type, n));
        if (simple != nullptr && gpu_s < simple->median_s)
            return fmt::format(
                "As published, against three plain loops on one core, the GPU wins from N = {} of "
                "the sizes measured: what the CPU runs decides the answer.",
                n);
    }
    return "As published, against three plain loops on one core: the GPU never wins here.";
}

chapter tell_crossover(const results::document& doc, const options& how) {
    chapter c;
    c.sources = {fmt::format("The document, {}, measured on {}.", published::crossover.title,
                             published::crossover.hardware)};
    c.not_run = absences(doc);
    const std::vector<std::int64_t> all = sizes(doc, crossover_type);
    if (all.empty()) return c;
    c.tables.push_back(times(doc));
    if (!how.on_gpu) {
        c.findings.emplace_back(
            "No GPU can be used here, so there is no crossover: the CPU's side of it is shown.");
        return c;
    }
    for (std::string& said : report::crossover_sentences(doc)) {
        std::erase(said, '`');
        c.findings.push_back(fmt::format("{} The document: {}.", said, published::crossover_n));
    }
    c.tables.push_back(phases(doc, all.back()));
    if (how.as_published) c.findings.push_back(against_the_simple_loop(doc));
    return c;
}

}  // namespace

const definition crossover = {
    "crossover",
    "CPU or GPU?",
    "From which size is a GPU faster than the best CPU implementation, allocation and copies "
    "included?",
    crossover_parts,
    tell_crossover,
    nullptr,
    &published::crossover};

}  // namespace carat::study
