// Document 002: from three plain loops to a library, one technique at a time, f32 at 2048: how much
// does each step gain, and how far is the machine's limit? On a GPU also the steps that the
// document has not: bf16 tensor cores, from one instruction to the speed of a library. Or all steps
// that there are for the types that the user names.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "lab/report/words.hpp"
#include "lab/study/published.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr std::string_view ladder_type = "f32";
constexpr std::string_view tensor_type = "bf16";

struct rung {
    std::string_view implementation;
    std::string_view idea;
    std::string_view theirs;  // the document's word for it; empty: it has none
};

constexpr std::array<rung, 28> rungs = {
    {{"cpu.ladder.naive", "three loops", "naive"},
     {"cpu.ladder.reordered", "inner loops exchanged", "reordered"},
     {"cpu.ladder.transposed_b", "B transposed first", ""},
     {"cpu.ladder.tiled", "tiles that stay in a cache", ""},
     {"cpu.ladder.tiled_reordered", "tiles, loops exchanged", "tiled"},
     {"cpu.ladder.openmp", "+ threads by OpenMP", ""},
     {"cpu.ladder.threads", "+ threads and a queue", ""},
     {"cpu.ladder.simd", "one core again: + SIMD", ""},
     {"cpu.ladder.register_tile", "+ register tile", ""},
     {"cpu.ladder.packing", "+ packing", ""},
     {"cpu.ladder.prefetch", "+ prefetch", ""},
     {"cpu.ladder.multi_level", "+ a tile for each cache", ""},
     {"cpu.ladder.parallel_rows", "+ all cores, rows shared out", ""},
     {"cpu.ladder.parallel_shared", "+ packing shared, two dimensions", ""},
     {"cpu.engine", "carat's engine, all cores", ""},
     {"vendor.openblas", "a BLAS, all cores", "BLAS"},
     {"cuda.ladder.naive", "GPU: a thread an element", "GPU naive"},
     {"cuda.ladder.coalesced", "+ coalesced", ""},
     {"cuda.ladder.tiled", "+ shared memory", "GPU tiled"},
     {"cuda.ladder.register_tiled", "+ register tile", ""},
     {"cuda.ladder.vectorised", "+ wide loads", ""},
     {"cuda.ladder.double_buffered", "+ two buffers", ""},
     {"cuda.ladder.warp_tiled", "+ tiles of warps", ""},
     {"cuda.ladder.turned", "+ A turned first", ""},
     {"cuda.ladder.wide", "+ 16 x 8 sums a thread", ""},
     {"vendor.cublas", "cuBLAS", ""},
     {"cuda.ladder.wmma_shared", "tensor cores by WMMA", ""},
     {"vendor.cublas_tf32", "cuBLAS, tensor cores (tf32)", "GPU cuBLAS"}}};

constexpr std::array<rung, 17> tensor_rungs = {
    {{"cpu.ladder.amx", "CPU: a matrix unit", ""},
     {"cpu.ladder.amx_blocked", "+ sums in L2", ""},
     {"cpu.ladder.amx_streamed", "+ C leaves past the caches", ""},
     {"cpu.engine", "carat's engine, all cores", ""},
     {"cuda.ladder.wmma_shared", "WMMA from shared memory", ""},
     {"cuda.ladder.mma", "mma.sync, one pair of tiles", ""},
     {"cuda.ladder.swizzled", "+ swizzled shared memory", ""},
     {"cuda.ladder.staged", "+ stages by cp.async", ""},
     {"cuda.ladder.tma", "+ TMA", ""},
     {"cuda.ladder.wgmma", "wgmma instead of mma.sync", ""},
     {"cuda.ladder.specialised", "+ producer and consumers", ""},
     {"cuda.ladder.multicast", "+ clusters with multicast", ""},
     {"cuda.ladder.persistent", "+ CTAs stay, order of tiles", ""},
     {"cuda.ladder.deferred_store", "+ C leaves during the next tile", ""},
     {"cuda.ladder.stream_k", "+ stream-K", ""},
     {"cuda.engine", "carat's engine", ""},
     {"vendor.cublas", "cuBLAS", ""}}};

std::span<const rung> steps_of(std::string_view type) {
    if (type == tensor_type) return tensor_rungs;
    return rungs;
}

std::string names_of(std::span<const rung> steps, std::string_view without = "none") {
    std::string all;
    for (const rung& r : steps)
        if (!r.implementation.starts_with(without))
            all += (all.empty() ? "" : ",") + std::string(r.implementation);
    return all;
}

// All steps of a type at a size that a CPU can do.
part plain_part(const options& how, dtype type) {
    const bool quick = how.how_much == extent::quick;
    const bool tensor = name(type) == tensor_type;
    constexpr auto tensor_names =
        "cpu.ladder.amx,cpu.ladder.amx_blocked,cpu.ladder.amx_streamed,cpu.engine";
    part all{request(how, tensor ? tensor_names : names_of(rungs), quick ? 0.7 : 10)};
    all.request.types = {type};
    const std::int64_t n = quick ? 512 : 2048;
    all.request.shapes = {{n, n, n}};
    if (how.how_much == extent::full) all.request.timing.trials = 30;
    return all;
}

part tensor_part(const options& how) {
    const bool quick = how.how_much == extent::quick;
    part tensor{request(how, names_of(tensor_rungs, "cpu."), quick ? 0.4 : 5)};
    tensor.request.types = {dtype::bf16};
    tensor.request.asked.out = dtype::bf16;
    for (const std::int64_t size : {4096, 8192})
        if (!quick || size == 4096) tensor.request.shapes.push_back({size, size, size});
    return tensor;
}

std::vector<part> ladder_parts(const options& how) {
    std::vector<part> parts;
    for (const dtype type : how.types.empty() ? std::vector{dtype::f32} : how.types)
        parts.push_back(plain_part(how, type));
    const bool tensor =
        how.types.empty() || std::ranges::find(how.types, dtype::bf16) != how.types.end();
    if (how.on_gpu && tensor) parts.push_back(tensor_part(how));
    return parts;
}

std::string published_s(std::string_view theirs) {
    for (const published::step& s : published::investigation_steps)
        if (s.name == theirs) return report::duration(s.time_s);
    return "-";
}

table table_of_steps(const results::document& doc, std::span<const rung> steps,
                     std::string_view type, std::int64_t n) {
    table t{fmt::format("Step by step, {}, N = {}", type, n),
            {"step", "GFLOP/s", "time", "this step", "so far", "% of roofline", "document"},
            {},
            "Factors are of median times against the step above and against the first."};
    if (type == ladder_type) t.note += " The document's times are of f32 at N = 2048.";
    const results::result* first = nullptr;
    const results::result* before = nullptr;
    for (const rung& r : steps) {
        const results::result* c = measured(doc, r.implementation, type, n);
        if (c == nullptr) continue;
        const auto factor = [&](const results::result* to) {
            return to == nullptr ? std::string("") : report::times(to->median_s / c->median_s);
        };
        if (first == nullptr) first = c;
        t.rows.push_back({std::string(r.idea), gflops(c), report::duration(c->median_s),
                          factor(before), before == nullptr ? "" : factor(first),
                          fmt::format("{:.1f}", c->percent_of_roofline),
                          type == ladder_type ? published_s(r.theirs) : "-"});
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

// The last step of the ladder beside the vendor's library.
std::string end_of_the_ladder(const results::document& doc, std::int64_t n) {
    const results::result* last = measured(doc, "cuda.ladder.stream_k", tensor_type, n);
    const results::result* first = measured(doc, "cuda.ladder.mma", tensor_type, n);
    const results::result* theirs = measured(doc, "vendor.cublas", tensor_type, n);
    if (last == nullptr || first == nullptr || theirs == nullptr) return {};
    return fmt::format(
        "In bf16 at N = {} the ladder ends at {:.2f} of cuBLAS, {} of what the same tensor cores "
        "do "
        "with mma.sync from one pair of tiles.",
        n, theirs->median_s / last->median_s, report::times(first->median_s / last->median_s));
}

chapter tell_ladder(const results::document& doc, const options&) {
    chapter c;
    c.sources = {
        fmt::format("The document, {}, measured on {}; its cuBLAS figure names no "
                    "precision.",
                    published::investigation.title, published::investigation.hardware)};
    c.not_run = absences(doc);
    const auto say = [&](std::string text) {
        if (!text.empty()) c.findings.push_back(std::move(text));
    };
    for (const dtype type : all_dtypes)
        for (const std::int64_t n : sizes(doc, name(type))) {
            c.tables.push_back(table_of_steps(doc, steps_of(name(type)), name(type), n));
            if (name(type) == ladder_type) say(product_of_steps(doc, n));
            if (name(type) == tensor_type) say(end_of_the_ladder(doc, n));
        }
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
    &published::investigation,
    true};

}  // namespace carat::study
