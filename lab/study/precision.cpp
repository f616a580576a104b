// Documents 002 and 004: what does a narrower type gain in speed and cost in error?
//
// Document 004's tensor-core kernel computed A B^T from a row-major B, each lane of a warp chose
// its own tile so that 1/32 of the work was done, and its "double" rows were the same f16 kernel.
// Here every row states its precision and met its bound before it was timed.
#include <fmt/format.h>

#include "lab/report/words.hpp"
#include "lab/study/published.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr double inflation = 32;  // of document 004's count of work

std::vector<part> precision_parts(const options& how) {
    const bool quick = how.how_much == extent::quick;
    const std::int64_t n = quick ? 512 : how.how_much == extent::usual ? 2048 : 8192;
    part floating{request(how,
                          "cpu.engine,vendor.openblas,vendor.onednn,cuda.ladder.tiled,"
                          "cuda.ladder.wmma,cuda.ladder.wmma_shared,cuda.ladder.wmma_converted,"
                          "vendor.cublas,vendor.cublas_tf32,vendor.cublaslt_best,cuda.engine,"
                          "cuda.engine.tf32",
                          quick ? 0.5 : 3)};
    floating.request.shapes = {{n, n, n}};
    floating.request.types = {dtype::f64, dtype::f32, dtype::f16, dtype::bf16};
    floating.request.values = workload::uniform(-5, 5);
    floating.request.rotate_inputs = true;
    if (how.how_much == extent::full) {
        floating.request.timing.trials = 30;
        floating.request.slowest_run_s = 5;
    }
    part integer = floating;
    integer.request.types = {dtype::i8};
    integer.request.values = workload::integers(-100, 100);
    part eighth = floating;  // 8-bit floats: what the tensor cores take, along K
    eighth.request.types = {dtype::e4m3};
    eighth.request.stored = {'n', 't'};
    return {floating, integer, eighth};
}

// "0" if exact, else the error relative to the largest possible result.
std::string error_of(const results::result& c) {
    if (c.error_ulp == 0) return "exact";
    return fmt::format("{} u", report::roundoffs(c.error_ulp));
}

std::string joules_of(const results::result& c) {
    if (!c.gpu || !c.gpu->joules_per_gflop) return "-";
    return fmt::format("{:.3g}", *c.gpu->joules_per_gflop);
}

table speed_and_error(const results::document& doc, std::string_view device) {
    table t{fmt::format("Speed against error on the {}", device == "cpu" ? "CPU" : "GPU"),
            {"data", "implementation", "computes in", "GFLOP/s", "worst error", "largest error",
             "J/GFLOP"},
            {},
            "u is the roundoff of the type computed in; the bound each had to meet is in the "
            "results file. The largest error is absolute, of data in U(-5, 5)."};
    for (const std::string_view dtype : {"f64", "f32", "f16", "bf16", "e4m3", "i8"})
        for (const results::result& c : doc.results)
            if (c.has_figure() && c.device == device && c.dtype == dtype)
                t.rows.push_back({std::string(dtype), c.implementation, c.computes_in, gflops(&c),
                                  error_of(c), fmt::format("{:.2g}", c.max_abs_error),
                                  joules_of(c)});
    return t;
}

table document_004() {
    table t{"The figures of document 004, GFLOP/s",
            {"N, type", "block", "naive", "tiled", "\"tensor cores\""},
            {},
            {}};
    const auto& points = published::precision_points;
    for (std::size_t i = 0; i + 2 < std::size(points); i += 3)
        t.rows.push_back({fmt::format("{}, {}", points[i].n, points[i].dtype),
                          fmt::format("{}", points[i].block), gflops(points[i].gflops),
                          gflops(points[i + 1].gflops), gflops(points[i + 2].gflops)});
    return t;
}

// The document's count applied to a kernel of carat's.
std::string inflated(const results::document& doc) {
    for (const results::result& c : doc.results)
        if (c.has_figure() && c.implementation == "cuda.ladder.wmma" && c.dtype == "f16")
            return fmt::format(
                "As published: a kernel that does 1/32 of the work and counts all of it would "
                "report {} GFLOP/s where naive WMMA, which does it all, has {}; carat refuses a "
                "figure above its unit's measured peak, and one whose product is wrong.",
                gflops(inflation * c.median_gflops), gflops(c.median_gflops));
    return {};
}

std::string gain(const results::document& doc, std::string_view device) {
    const results::result *wide = nullptr, *narrow = nullptr;
    for (const results::result& c : doc.results) {
        if (!c.has_figure() || c.device != device) continue;
        const results::result*& best = c.computes_in == "f64" ? wide : narrow;
        if (best == nullptr || c.median_s < best->median_s) best = &c;
    }
    if (wide == nullptr || narrow == nullptr) return {};
    return fmt::format(
        "On the {} the fastest narrow product ({} by {}) is {} the speed of f64 ({}).",
        device == "cpu" ? "CPU" : "GPU", narrow->dtype, narrow->implementation,
        report::times(wide->median_s / narrow->median_s), wide->implementation);
}

chapter tell_precision(const results::document& doc, const options& how) {
    chapter c;
    c.sources = {fmt::format("Document 004, {}, measured on {}.", published::precisions.title,
                             published::precisions.hardware)};
    c.not_run = absences(doc);
    for (const std::string_view device : {"cpu", "cuda"}) {
        if (table t = speed_and_error(doc, device); !t.rows.empty())
            c.tables.push_back(std::move(t));
        if (std::string text = gain(doc, device); !text.empty())
            c.findings.push_back(std::move(text));
    }
    c.tables.push_back(document_004());
    if (how.as_published)
        if (std::string text = inflated(doc); !text.empty()) c.findings.push_back(std::move(text));
    return c;
}

}  // namespace

const definition precision = {
    "precision",
    "Speed against error",
    "What does a narrower type buy in speed and in energy, and what does it cost in error?",
    precision_parts,
    tell_precision,
    nullptr,
    &published::precisions};

}  // namespace carat::study
