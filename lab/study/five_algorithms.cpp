// Document 000: cuBLAS, a tiled CUDA kernel, a BLAS, OpenMP and C++ threads, f64, N = 1000 to
// 10000, thirty trials each: which is fastest, and is that certain?
//
// It timed cuBLAS with the creation of its handle and ran its tests on 10,000 resampled means.
// --as-published does both to carat's trials, so that the method makes the whole difference.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "lab/compare/analyse.hpp"
#include "lab/report/words.hpp"
#include "lab/statistics/anova.hpp"
#include "lab/statistics/bootstrap.hpp"
#include "lab/statistics/replicates.hpp"
#include "lab/statistics/summary.hpp"
#include "lab/study/published.hpp"
#include "lab/study/queries.hpp"

namespace carat::study {

namespace {

constexpr std::string_view five_type = "f64";

struct algorithm {
    std::string_view theirs, ours;
};

constexpr std::array<algorithm, 5> algorithms = {{{"CuBLAS", "vendor.cublas"},
                                                  {"CUDA", "cuda.ladder.tiled"},
                                                  {"BLAS", "vendor.openblas"},
                                                  {"OpenMP", "cpu.ladder.openmp"},
                                                  {"C++ Threads", "cpu.ladder.threads"}}};

std::vector<part> five_parts(const options& how) {
    part all{request(how,
                     "vendor.cublas,cuda.ladder.tiled[tile-size=32],vendor.openblas,"
                     "cpu.ladder.openmp[tile-size=32],cpu.ladder.threads[tile-size=32]",
                     how.how_much == extent::quick ? 1.5 : 20)};
    request::measurement& r = all.request;
    r.types = {dtype::f64};
    r.values = workload::uniform(2, 5);
    r.convention = request::operation_count::exact;
    switch (how.how_much) {
        case extent::quick:
            r.shapes = request::parse_shapes("250,500,1000");
            break;
        case extent::usual:
            r.shapes = request::parse_shapes("1000:3000:1000");
            break;
        case extent::full:
            r.shapes = request::parse_shapes("1000:10000:1000");
            r.timing.trials = 30;
            break;
    }
    return {all};
}

// The interval of the processes' means; resampled from one process's trials, like the document's,
// if there are enough of them.
results::range interval_of_mean(const results::result& c) {
    if (results::bounded(c.ci95_mean_s) || c.trials_s.size() < statistics::fewest_rounds)
        return c.ci95_mean_s;
    const statistics::interval ci = statistics::bootstrap(c.trials_s).mean.bca;
    return {ci.lower, ci.upper};
}

// The document's "mean, best, worst" are a mean and the ends of its interval, and so are these.
std::vector<std::string> mean_row(const results::result& c, std::string_view theirs) {
    const auto rate = [&](double time_s) { return gflops(c.flop / time_s / 1e9); };
    const auto there = published::find(published::five_algorithms_means, theirs, c.n);
    const results::range ci = interval_of_mean(c);
    return {fmt::format("{} {}", c.n, theirs), rate(c.mean_s),
            results::bounded(ci) ? fmt::format("[{}, {}]", rate(ci[1]), rate(ci[0])) : "-",
            fmt::format("{}", c.trials_s.size()), there ? gflops(*there) : "-"};
}

table table_of_means(const results::document& doc) {
    table t{"Throughput by size, GFLOP/s", {"N", "mean", "95 % CI", "trials", "document"}, {}, {}};
    for (const std::int64_t n : sizes(doc, five_type))
        for (const auto& [theirs, ours] : algorithms)
            if (const results::result* c = measured(doc, ours, five_type, n))
                t.rows.push_back(mean_row(*c, theirs));
    t.note =
        "Operations are counted as 2N^3 - N^2. The document's figures for CuBLAS include the "
        "creation of its handle, about 0.36 s a call.";
    return t;
}

std::vector<double> rates_of(const results::result& c) {
    std::vector<double> rates;
    rates.reserve(c.trials_s.size());
    for (const double time_s : c.trials_s) rates.push_back(c.flop / time_s / 1e9);
    return rates;
}

table table_of_deviations(const results::document& doc, std::int64_t n) {
    table t{fmt::format("Spread at N = {}, GFLOP/s", n),
            {"algorithm", "standard deviation", "standard error", "document"},
            {},
            "The document calls the spread of its resampled means a standard deviation; that is "
            "the standard error."};
    for (const auto& [theirs, ours] : algorithms) {
        const results::result* c = measured(doc, ours, five_type, n);
        if (c == nullptr) continue;
        const statistics::summary s = statistics::summarize(rates_of(*c));
        const auto there = published::find(published::five_algorithms_deviations, theirs, 10000);
        t.rows.push_back({std::string(theirs), gflops(s.standard_deviation),
                          gflops(s.standard_error), there ? fmt::format("{:.3g}", *there) : "-"});
    }
    return t;
}

std::string_view theirs_of(std::string_view ours) {
    const auto found = std::ranges::find(algorithms, ours, &algorithm::ours);
    return found == algorithms.end() ? ours : found->theirs;
}

std::string published_p(std::string_view a, std::string_view b) {
    for (const published::pair& p : published::five_algorithms_pairs)
        if ((p.a == a && p.b == b) || (p.a == b && p.b == a)) return probability(p.p);
    return "-";
}

// The document's test with its simultaneous intervals, for geometric means. Trials count by their
// effective sample size.
table table_of_pairs(const results::document& doc, const results::comparison& all) {
    table t{
        fmt::format("Games-Howell at N = {}", all.n),
        {"pair", "ratio", "95 % CI", "p", "verdict", "document's p"},
        {},
        fmt::format("Welch's ANOVA: F = {:.4g}, df = {:.0f} and {:.1f}, p = {}. Both on log "
                    "times, with effective sample sizes; the verdicts are the laboratory's own.",
                    all.f, all.df1, all.df2, probability(all.p))};
    std::vector<const results::result*> ranked;
    for (const auto& [theirs, ours] : algorithms)
        if (const results::result* c = measured(doc, ours, five_type, all.n); c != nullptr)
            ranked.push_back(c);
    for (const statistics::pair_difference& d :
         statistics::games_howell(comparing::log_moments(ranked), all.alpha)) {
        const results::result &a = *ranked[d.first], &b = *ranked[d.second];
        const statistics::interval ci =
            exponential(statistics::interval{-d.simultaneous_ci.upper, -d.simultaneous_ci.lower});
        t.rows.push_back(
            {fmt::format("{} / {}", theirs_of(a.implementation), theirs_of(b.implementation)),
             report::times(std::exp(-d.mean_difference)),
             fmt::format("[{}, {}]", report::digits(ci.lower), report::digits(ci.upper)),
             probability(d.p), verdict_of(all, a.implementation, b.implementation),
             published_p(theirs_of(a.implementation), theirs_of(b.implementation))});
    }
    return t;
}

// One run that pays for everything, as in a program that creates its handle inside the timed part.
double cold_gflops(const results::result& c) {
    return c.flop / (c.prepare_s + c.cold_s) / 1e9;
}

table cold(const results::document& doc, std::int64_t n) {
    table t{fmt::format("As published: the first call with its preparation, N = {}, GFLOP/s", n),
            {"algorithm", "timed so", "place", "warm median", "place", "factor"},
            {},
            {}};
    std::vector<const results::result*> results;
    for (const auto& [theirs, ours] : algorithms)
        if (const results::result* c = measured(doc, ours, five_type, n)) results.push_back(c);
    const auto place = [&](const results::result& of, auto rate) {
        return std::ranges::count_if(
                   results, [&](const results::result* c) { return rate(*c) > rate(of); }) +
               1;
    };
    const auto warm = [](const results::result& c) { return c.median_gflops; };
    for (const results::result* c : results)
        t.rows.push_back({std::string(theirs_of(c->implementation)), gflops(cold_gflops(*c)),
                          fmt::format("{}", place(*c, cold_gflops)), gflops(c),
                          fmt::format("{}", place(*c, warm)),
                          report::times(warm(*c) / cold_gflops(*c))});
    return t;
}

// The document's test: Welch's ANOVA over resampled means. The tester chooses their number, and so
// p; on the trials that is not so.
std::string on_resampled_means(const results::document& doc, std::int64_t n) {
    std::vector<std::vector<double>> trials, resampled;
    std::uint64_t stream = 0;
    for (const auto& [theirs, ours] : algorithms)
        if (const results::result* c = measured(doc, ours, five_type, n)) {
            trials.push_back(rates_of(*c));
            resampled.push_back(statistics::resample_means(trials.back(), {}, ++stream));
        }
    if (trials.size() < 2) return {};
    const auto p_of = [](const std::vector<std::vector<double>>& groups) {
        return statistics::welch_anova(
                   std::vector<statistics::trials_view>(groups.begin(), groups.end()))
            .p;
    };
    return fmt::format(
        "As published, Welch's ANOVA on 10,000 resampled averages of each at N = {} gives p = {}; "
        "on the trials themselves p = {}. More resamples would give any p one likes.",
        n, probability(p_of(resampled)), probability(p_of(trials)));
}

std::string order_of(const results::document& doc, std::int64_t n) {
    std::vector<const results::result*> results;
    for (const auto& [theirs, ours] : algorithms)
        if (const results::result* c = measured(doc, ours, five_type, n)) results.push_back(c);
    std::ranges::sort(results, std::ranges::greater{}, &results::result::median_gflops);
    std::string text;
    for (const results::result* c : results) {
        if (!text.empty()) text += ", ";
        text += fmt::format("{} ({} GFLOP/s, group {})", theirs_of(c->implementation), gflops(c),
                            c->group);
    }
    return fmt::format(
        "At N = {} the order is {}. The document's, at 10000: CuBLAS, CUDA, BLAS, OpenMP, C++ "
        "Threads.",
        n, text);
}

chapter tell_five(const results::document& doc, const options& how) {
    chapter c;
    c.sources = {fmt::format("The document, {}, measured on {}.", published::five_algorithms.title,
                             published::five_algorithms.hardware)};
    c.not_run = absences(doc);
    const std::vector<std::int64_t> all = sizes(doc, five_type);
    if (all.empty()) return c;
    const std::int64_t n = all.back();
    c.findings.push_back(order_of(doc, n));
    c.tables.push_back(table_of_means(doc));
    c.tables.push_back(table_of_deviations(doc, n));
    const results::comparison* pairwise = compared(doc, five_type, n);
    if (pairwise != nullptr && !pairwise->pairs.empty())
        c.tables.push_back(table_of_pairs(doc, *pairwise));
    if (how.as_published) {
        c.tables.push_back(cold(doc, n));
        if (std::string text = on_resampled_means(doc, n); !text.empty())
            c.findings.push_back(std::move(text));
    }
    return c;
}

}  // namespace

const definition five_algorithms = {
    "five-algorithms",
    "Five algorithms",
    "Of cuBLAS, a tiled CUDA kernel, a BLAS, OpenMP and C++ threads, which multiplies f64 matrices "
    "fastest, and is the difference real?",
    five_parts,
    tell_five,
    nullptr,
    &published::five_algorithms};

}  // namespace carat::study
