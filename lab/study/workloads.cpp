// Document 002: a linear layer, attention and a convolution are matrix products. Their products as
// cases, alone and in the batches and groups that programs make of them (with those of a Cholesky
// factorization), and the layers as a user would run them, with the steps between the products: a
// bias, a softmax, and for the convolution either a copy of the image nine times over (im2col) or
// overlapping views of it (implicit). Fused attention is another algorithm and is not here.
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <carat/error.hpp>

#include "lab/catalogue/catalogue.hpp"
#include "lab/measure/idle.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/report/words.hpp"
#include "lab/session/case.hpp"
#include "lab/statistics/bootstrap.hpp"
#include "lab/study/compositions.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr std::string_view implementations[] = {"cpu.ladder.tiled_reordered", "cpu.engine",
                                                "vendor.openblas", "vendor.mkl"};

struct shape_of {
    request::shape size;
    std::string_view what;
};

constexpr shape_of products[] = {{{32, 3072, 768}, "linear layer, 768 to 3072, batch 32"},
                                 {{128, 768, 768}, "a projection of attention"},
                                 {{128, 128, 64}, "scores of one head"},
                                 {{128, 64, 128}, "values of one head"},
                                 {{3136, 64, 576}, "convolution 3 x 3, 56 x 56, 64 channels"}};

// Batches, and products that read their C, as programs use them.
struct many {
    std::string_view what;
    dtype type;
    std::string_view layout;
    rows::call asked;
    std::vector<request::shape> sizes;
};

std::vector<many> many_products() {
    rows::call of_48;
    of_48.batch = 48;
    rows::call of_8;
    of_8.batch = 8;
    rows::call experts;
    experts.groups = "uneven:1:256/8";
    rows::call update;
    update.alpha = -1;
    update.beta = 1;
    const auto of_experts = [&](std::int64_t n, std::int64_t k) {
        return request::size_of({1, n, k}, experts);
    };
    return {{"attention's scores in training, 4 x 128 tokens, 12 heads",
             dtype::f32,
             "nt",
             of_48,
             {{128, 128, 64}}},
            {"their values", dtype::f32, "nn", of_48, {{128, 64, 128}}},
            {"attention's scores in decode, 48 heads, 512 tokens before",
             dtype::f32,
             "nt",
             of_48,
             {{1, 512, 64}}},
            {"their values", dtype::f32, "nn", of_48, {{1, 64, 512}}},
            {"8 experts, 256 rows among them, 256 to 1024 and back",
             dtype::f32,
             "nn",
             experts,
             {of_experts(1024, 256), of_experts(256, 1024)}},
            {"convolution 3 x 3 by im2col, 28 x 28 x 64, 8 images",
             dtype::f32,
             "nn",
             of_8,
             {{784, 64, 576}}},
            {"trailing updates of a Cholesky of 512 by blocks of 64",
             dtype::f64,
             "nt",
             update,
             {{448, 448, 64}, {320, 320, 64}, {192, 192, 64}, {64, 64, 64}}}};
}

std::vector<part> workload_parts(const options& how) {
    constexpr std::string_view everybody =
        "cpu.ladder.tiled_reordered,cpu.engine,vendor.openblas,vendor.mkl,vendor.onednn,"
        "cuda.ladder.warp_tiled,cuda.engine.tf32,vendor.cublas,vendor.cublas_tf32";
    constexpr std::string_view those_of_many =
        "cpu.engine,vendor.openblas,vendor.mkl,vendor.libxsmm,cuda.engine,vendor.cublas,"
        "vendor.cublaslt";
    const std::string with_loop = std::string(those_of_many) + ",cpu.engine[loop=1]";
    part single{request(how, everybody, how.how_much == extent::quick ? 0.4 : 4)};
    for (const shape_of& p : products) single.request.shapes.push_back(p.size);
    single.request.types = {dtype::f32};
    std::vector<part> all = {single};
    for (const many& m : many_products()) {
        part one{request(how, m.asked.is_one_product() ? those_of_many : with_loop,
                         how.how_much == extent::quick ? 0.2 : 1)};
        one.request.shapes = m.sizes;
        one.request.types = {m.type};
        one.request.stored = request::parse_storage(m.layout);
        one.request.asked = m.asked;
        all.push_back(std::move(one));
    }
    if (how.how_much == extent::full)
        for (part& one : all) one.request.timing.trials = 30;
    return all;
}

const results::result* fastest(const results::document& doc, dtype type, const request::shape& size,
                               const rows::call& asked) {
    const results::result* best = nullptr;
    for (const results::result& c : doc.results)
        if (c.has_figure() && c.dtype == name(type) && c.m == size.m && c.n == size.n &&
            c.k == size.k && c.asked == asked && (best == nullptr || c.median_s < best->median_s))
            best = &c;
    return best;
}

const results::result* engine(const results::document& doc, const many& of,
                              const request::shape& size) {
    for (const results::result& c : doc.results)
        if (c.has_figure() && c.implementation.starts_with("cpu.engine") &&
            !c.implementation.ends_with("[loop=1]") && c.dtype == name(of.type) && c.m == size.m &&
            c.n == size.n && c.k == size.k && c.asked == of.asked)
            return &c;
    return nullptr;
}

table single_products(const results::document& doc) {
    table t{"The products alone, f32",
            {"M x N x K", "in", "fastest", "GFLOP/s", "% of roofline"},
            {},
            {}};
    for (const shape_of& p : products)
        if (const results::result* best = fastest(doc, dtype::f32, p.size, {}); best != nullptr)
            t.rows.push_back({fmt::format("{} x {} x {}", p.size.m, p.size.n, p.size.k),
                              std::string(p.what), best->implementation, gflops(best),
                              fmt::format("{:.1f}", best->percent_of_roofline)});
    return t;
}

table products_together(const results::document& doc) {
    table t{"As programs ask for them",
            {"M x N x K", "in", "asked", "fastest", "GFLOP/s", "cpu.engine"},
            {},
            "GFLOP/s of all products together; of a group M is the sum of its rows."};
    for (const many& m : many_products())
        for (const request::shape& size : m.sizes) {
            const results::result* best = fastest(doc, m.type, size, m.asked);
            if (best == nullptr) continue;
            t.rows.push_back({fmt::format("{} x {} x {} {}", size.m, size.n, size.k, m.layout),
                              std::string(m.what), rows::describe(m.asked), best->implementation,
                              gflops(best), gflops(engine(doc, m, size))});
        }
    return t;
}

chapter tell_workloads(const results::document& doc, const options&) {
    chapter c;
    c.not_run = absences(doc);
    for (table t : {single_products(doc), products_together(doc)})
        if (!t.rows.empty()) c.tables.push_back(std::move(t));
    c.sources = {"Document 002 names the layers and gives no figures for them."};
    return c;
}

struct made_layer {
    const layer* what;
    std::string implementation;
    std::unique_ptr<composition> made;
    double error = 0;
    std::vector<double> trials_s;
};

// Every layer by every available implementation that takes its products. Each has run once and is
// right, or is not run and says why.
std::vector<made_layer> prepared(const options& how, chapter& c) {
    std::vector<made_layer> all;
    for (const layer& l : layers())
        for (const std::string_view name : implementations) {
            const rows::implementation& by = lab::catalogue().find(name);
            try {
                made_layer one{&l, std::string(name), l.make(by, how.threads, how.seed), 0, {}};
                one.made->run();
                one.error = one.made->worst_error();
                if (!(one.error <= largest_error))
                    throw error(error_code::unsupported,
                                fmt::format("wrong by {:.2g} of the largest result", one.error));
                all.push_back(std::move(one));
            } catch (const std::exception& refused) {
                c.not_run.push_back(
                    fmt::format("{} {} by {}: {}", l.name, l.form, name, refused.what()));
            }
        }
    return all;
}

void time_interleaved(std::vector<made_layer>& all, const options& how,
                      const std::function<bool()>& interrupted) {
    std::vector<measure::candidate> candidates;
    candidates.reserve(all.size());
    for (made_layer& l : all) candidates.push_back({[&l] { l.made->run(); }, &space::host_space()});
    measure::options timing;
    timing.budget_s = std::min(how.how_much == extent::quick ? 0.5 : 5, how.most_budget_s);
    if (how.how_much == extent::full) timing.trials = 30;
    timing.seed = how.seed;
    timing.interrupted = interrupted;
    timing.wait_until_idle = [] { measure::wait_until_idle(); };
    const std::vector<double> estimates(all.size(), 1e-3);
    std::vector<measure::series> series = measure::interleave(candidates, estimates, timing);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!series[i].failure.empty()) throw std::runtime_error(series[i].failure);
        all[i].trials_s = std::move(series[i].trials_s);
    }
}

struct timed_row {
    double median_s;
    statistics::interval ci;
};

timed_row of(const made_layer& l, const options& how) {
    statistics::bootstrap_options resampling;
    resampling.seed = how.seed;
    const statistics::bootstrap_interval m = statistics::bootstrap(l.trials_s, resampling).median;
    return {m.estimate, m.percentile};
}

table layer_table(const std::vector<made_layer>& all, const options& how) {
    table t{"The layers as they are run, f32, on the CPU",
            {"layer", "by", "time", "95 %, this process", "GFLOP/s", "error"},
            {},
            "Operations are those of the products; the time holds everything. The error is the "
            "largest difference from direct loops in f64, relative to the largest result."};
    for (const made_layer& l : all) {
        if (l.trials_s.empty()) continue;
        const timed_row r = of(l, how);
        const std::string form = l.what->form.empty() ? "" : fmt::format(", {}", l.what->form);
        t.rows.push_back(
            {fmt::format("{}{}", l.what->name, form), last_part(l.implementation),
             report::duration(r.median_s),
             fmt::format("[{}, {}]", report::duration(r.ci.lower), report::duration(r.ci.upper)),
             gflops(l.what->flop / r.median_s / 1e9), fmt::format("{:.1g}", l.error)});
    }
    return t;
}

const made_layer* find(const std::vector<made_layer>& all, std::string_view form,
                       std::string_view implementation) {
    const auto found = std::ranges::find_if(all, [&](const made_layer& l) {
        return l.what->form == form && l.implementation == implementation && !l.trials_s.empty();
    });
    return found == all.end() ? nullptr : &*found;
}

// The speed of the engine in one form relative to another form of the same layer.
void add_ratio(chapter& c, const std::vector<made_layer>& all, const options& how,
               std::string_view form, std::string_view other, std::string_view what,
               std::string_view what_other) {
    const made_layer* one = find(all, form, "cpu.engine");
    const made_layer* against = find(all, other, "cpu.engine");
    if (one == nullptr || against == nullptr) return;
    statistics::bootstrap_options resampling;
    resampling.seed = how.seed;
    const auto ratio =
        statistics::ratio_of_medians(against->trials_s, one->trials_s, resampling).ratio;
    c.findings.push_back(
        fmt::format("By cpu.engine {} {} the speed of {} (in this process {} to {}).", what,
                    report::times(ratio.estimate), what_other,
                    report::times(ratio.percentile.lower), report::times(ratio.percentile.upper)));
}

void add(chapter& c, const options& how, const std::function<bool()>& interrupted) {
    std::vector<made_layer> all = prepared(how, c);
    time_interleaved(all, how, interrupted);
    c.tables.push_back(layer_table(all, how));
    add_ratio(c, all, how, "implicit", "im2col", "the convolution without im2col's copy is",
              "the one with it");
    add_ratio(c, all, how, "batches", "head by head", "attention's heads in batches are",
              "one after the other");
    c.trials = nlohmann::json::array();
    for (const made_layer& l : all)
        c.trials.push_back({{"layer", l.what->name},
                            {"form", l.what->form},
                            {"sizes", l.what->what},
                            {"implementation", l.implementation},
                            {"flop", l.what->flop},
                            {"error", l.error},
                            {"trials_s", l.trials_s}});
}

}  // namespace

const definition workloads = {
    "workloads",
    "Layers of networks",
    "A linear layer, attention's products and a convolution: what do they cost as a user runs "
    "them?",
    workload_parts,
    tell_workloads,
    add};

}  // namespace carat::study
