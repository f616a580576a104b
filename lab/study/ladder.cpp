// Document 002: from three plain loops to a library, one technique at a time, f32 at 2048: how much
// does each step gain, and how far is the machine's limit?
#include <array>
#include <fmt/format.h>

#include "lab/report/words.hpp"
#include "lab/study/published.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr std::string_view ladder_type = "f32";

struct rung {
    std::string_view implementation;
    std::string_view idea;
    std::string_view theirs;  // the document's word for it; empty: it has none
};

constexpr std::array<rung, 21> rungs = {
    {{"cpu.ladder.naive", "three loops", "naive"},
     {"cpu.ladder.reordered", "inner loops exchanged", "reordered"},
     {"cpu.ladder.tiled", "tiles that stay in a cache", ""},
     {"cpu.ladder.tiled_reordered", "tiles, loops exchanged", "tiled"},
     {"cpu.ladder.openmp", "+ threads by OpenMP", ""},
     {"cpu.ladder.threads", "+ threads and a queue", ""},
     {"cpu.ladder.simd", "one core again: + SIMD", ""},
     {"cpu.ladder.register_tile", "+ register tile", ""},
     {"cpu.ladder.packing", "+ packing", ""},
     {"cpu.ladder.prefetch", "+ prefetch", ""},
     {"cpu.ladder.multi_level", "+ a tile for each cache", ""},
     {"cpu.engine", "carat's engine, all cores", ""},
     {"vendor.openblas", "a BLAS, all cores", "BLAS"},
     {"cuda.ladder.naive", "GPU: a thread an element", "GPU naive"},
     {"cuda.ladder.coalesced", "+ coalesced", ""},
     {"cuda.ladder.tiled", "+ shared memory", "GPU tiled"},
     {"cuda.ladder.register_tiled", "+ register tile", ""},
     {"cuda.ladder.vectorised", "+ wide loads", ""},
     {"cuda.ladder.warp_tiled", "+ double buffer, warp tiles", ""},
     {"cuda.ladder.wmma_shared", "tensor cores (tf32)", ""},
     {"vendor.cublas_tf32", "cuBLAS, tensor cores (tf32)", "GPU cuBLAS"}}};

std::string ladder_names() {
    std::string all;
    for (const rung& r : rungs) all += (all.empty() ? "" : ",") + std::string(r.implementation);
    return all;
}

std::vector<part> ladder_parts(const options& how) {
    const bool quick = how.how_much == extent::quick;
    part all{request(how, ladder_names(), quick ? 0.7 : 10)};
    all.request.types = {dtype::f32};
    const std::int64_t n = quick ? 512 : 2048;
    all.request.shapes = {{n, n, n}};
    if (how.how_much == extent::full) all.request.timing.trials = 30;
    return {all};
}

std::string published_s(std::string_view theirs) {
    for (const published::step& s : published::investigation_steps())
        if (s.name == theirs) return report::duration(s.time_s);
    return "-";
}

table table_of_steps(const results::document& doc, std::int64_t n) {
    table t{fmt::format("Step by step, f32, N = {}", n),
            {"step", "GFLOP/s", "time", "this step", "so far", "% of roofline", "document"},
            {},
            "Factors are of median times against the step above and against the first. The "
            "document's times are of N = 2048."};
    const results::result* first = nullptr;
    const results::result* before = nullptr;
    for (const rung& r : rungs) {
        const results::result* c = measured(doc, r.implementation, ladder_type, n);
        if (c == nullptr) continue;
        const auto factor = [&](const results::result* to) {
            return to == nullptr ? std::string("") : report::times(to->median_s / c->median_s);
        };
        if (first == nullptr) first = c;
        t.rows.push_back({std::string(r.idea), gflops(c), report::duration(c->median_s),
                          factor(before), before == nullptr ? "" : factor(first),
                          fmt::format("{:.1f}", c->percent_of_roofline), published_s(r.theirs)});
        before = c;
    }
    return t;
}

// The document multiplies guesses (4 x 10 x 5 x 10); these are measured.
std::string product_of_steps(const results::document& doc, std::int64_t n) {
    const auto at = [&](std::string_view name) { return measured(doc, name, ladder_type, n); };
    const results::result* naive = at("cpu.ladder.naive");
    const results::result* reordered = at("cpu.ladder.reordered");
    const results::result* last = at("cpu.ladder.multi_level");
    if (naive == nullptr || reordered == nullptr || last == nullptr) return {};
    return fmt::format(
        "On one core the ladder is worth {} in all: {} from the order of two loops, {} from what "
        "follows. The document says 200 in all and 4 for the order; both depend on how far the "
        "matrices are from fitting a cache, here N = {}.",
        report::times(naive->median_s / last->median_s),
        report::times(naive->median_s / reordered->median_s),
        report::times(reordered->median_s / last->median_s), n);
}

chapter tell_ladder(const results::document& doc, const options&) {
    chapter c;
    c.sources = {
        fmt::format("The document, {}, measured on {}; its cuBLAS figure names no "
                    "precision.",
                    published::investigation.title, published::investigation.hardware)};
    c.not_run = absences(doc);
    const std::vector<std::int64_t> all = sizes(doc, ladder_type);
    if (all.empty()) return c;
    c.tables.push_back(table_of_steps(doc, all.back()));
    if (std::string text = product_of_steps(doc, all.back()); !text.empty())
        c.findings.push_back(std::move(text));
    return c;
}

}  // namespace

const definition ladder = {
    "ladder",
    "From three loops to a library",
    "What does each technique give, and how far is the result from the machine's limit?",
    ladder_parts,
    tell_ladder,
    nullptr,
    &published::investigation};

}  // namespace carat::study
