// The outcome of a judgement, in words and in JSON.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/judge/judge.hpp"
#include "lab/results/build_info.hpp"

namespace carat::judge {

namespace {

nlohmann::json to_json(const timed_case& c, const timed& of) {
    return {{"name", of.name},
            {"median_s", of.median_s},
            {"gflops", c.gflops(of)},
            {"trials_s", of.trials_s},
            {"trials_per_process", of.trials_per_process}};
}

results::product_case case_of(const outcome& o, const timed_case& c) {
    return {o.type, c.size.m, c.size.n, c.size.k, o.threads, {}};
}

results::result result_of(const outcome& o, const timed_case& c, const timed& of, int rank) {
    results::result r;
    static_cast<results::product_case&>(r) = case_of(o, c);
    r.implementation = &of == &c.target ? "target: " + o.target : of.name;
    r.device = o.gpu.empty() ? "cpu" : "cuda";
    r.threads_used = o.threads;
    r.available = r.verified = true;
    r.verification = "exact";
    r.trials_s = of.trials_s;
    r.trials_per_process = of.trials_per_process;
    r.median_s = of.median_s;
    r.median_gflops = c.gflops(of);
    r.flop = 1e9 * r.median_gflops * r.median_s;
    r.rank = rank;
    return r;
}

results::comparison comparison_of(const outcome& o, const timed_case& c) {
    const auto [low, high] = c.ci95_ratio;
    results::pair p;
    p.a = "target: " + o.target;
    p.b = c.peers.front().name;
    p.ratio = c.ratio;
    p.ci95_ratio = {low, high};
    p.verdict = low > 1 ? "faster" : high < 1 ? "slower" : "unclear";
    results::comparison all;
    static_cast<results::product_case&>(all) = case_of(o, c);
    all.base = p.b;
    all.pairs = {std::move(p)};
    return all;
}

// The remark for a target that refused padded rows.
std::string_view contiguous_rows(const std::vector<timed_case>& cases) {
    const auto count = std::ranges::count(cases, row_layout::contiguous, &timed_case::rows);
    if (count == 0) return "";
    return count == std::ssize(cases) ? ", with contiguous rows" : ", in part with contiguous rows";
}

}  // namespace

results::document document_of(const outcome& o) {
    results::document doc = results::new_document({});
    doc.complete = true;
    for (const timed_case& c : o.cases) {
        int rank = 0;
        for (const timed& peer : c.peers) doc.results.push_back(result_of(o, c, peer, ++rank));
        doc.results.push_back(result_of(o, c, c.target, ++rank));
        if (!c.peers.empty()) doc.comparisons.push_back(comparison_of(o, c));
    }
    std::vector<std::string> findings = {o.sentence()};
    findings.insert(findings.end(), o.warnings.begin(), o.warnings.end());
    doc.studies.push_back({.study = "judge",
                           .title = "Judgement",
                           .question = "Is " + o.target + " right, and how fast?",
                           .extent = "full",
                           .findings = findings,
                           .not_run = o.refused});
    return doc;
}

double timed_case::gflops(const timed& of) const {
    const double flop = request::operations(size, request::operation_count::multiply_add);
    return of.median_s > 0 ? flop / of.median_s / 1e9 : 0;
}

std::string outcome::sentence() const {
    const std::string who = kernel.empty() || kernel == target ? target : target + ", " + kernel;
    if (ruled == ruling::wrong) return fmt::format("{}: wrong: {}", who, reason);
    const std::string open = bounded ? "" : "; without a boundary";
    if (cases.empty() && ruled == ruling::right)
        return fmt::format("{}: right ({} results checked; speed was not requested{})", who,
                           calls_checked, open);
    const timed_case* only = cases.size() == 1 ? &cases.front() : nullptr;
    const std::string than =
        fmt::format("{}{} (95 % CI {:.2f} to {:.2f})",
                    only == nullptr ? fmt::format("the best, over {} sizes", cases.size())
                                    : only->peers.front().name,
                    contiguous_rows(cases), ci95_ratio[0], ci95_ratio[1]);
    if (ruled == ruling::none)
        return fmt::format("{}: right so far, but no verdict on its speed: {}{}", who, reason,
                           open);
    if (ruled == ruling::unclear)
        return fmt::format(
            "{}: right, at {:.2f} of the speed of {}: unclear whether that is the "
            "requested {:.2f}; more --time tells more{}",
            who, ratio, than, at_least, open);
    return fmt::format("{}: right, {}at {:.2f} of the speed of {}; {:.2f} was requested{}", who,
                       ruled == ruling::slower ? "too slow " : "", ratio, than, at_least, open);
}

nlohmann::json to_json(const outcome& o) {
    nlohmann::json cases = nlohmann::json::array();
    for (const timed_case& c : o.cases) {
        nlohmann::json peers = nlohmann::json::array();
        for (const timed& peer : c.peers) peers.push_back(to_json(c, peer));
        cases.push_back({{"m", c.size.m},
                         {"n", c.size.n},
                         {"k", c.size.k},
                         {"rows", name(c.rows)},
                         {"target", to_json(c, c.target)},
                         {"peers", peers},
                         {"ratio", c.ratio},
                         {"ci95_ratio", c.ci95_ratio}});
    }
    return {{"judgement", 1},
            {"verdict", name(o.ruled)},
            {"sentence", o.sentence()},
            {"reason", o.reason},
            {"target", o.target},
            {"kernel", o.kernel},
            {"dtype", o.type},
            {"threads", o.threads},
            {"gpu", o.gpu.empty() ? nlohmann::json(nullptr) : nlohmann::json(o.gpu)},
            {"seed", o.seed},
            {"boundary", o.boundary},
            {"at_least", o.at_least},
            {"ratio", o.ratio},
            {"ci95_ratio", o.ci95_ratio},
            {"cases", cases},
            {"calls_checked", o.calls_checked},
            {"libraries", o.libraries},
            {"warnings", o.warnings},
            {"refused", o.refused}};
}

}  // namespace carat::judge
