// Groups results into cases, decides who has a figure, and reads pairs both ways round.
#include "lab/report/cases.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lab/report/words.hpp"
#include "lab/results/surroundings.hpp"

namespace carat::report {
namespace {

using results::comparison;
using results::result;
using shape_key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;

template <class Entry>  // result, comparison
shape_key shape_of(const Entry& of) {
    return {of.dtype, of.m, of.n, of.k, rows::describe(of.asked)};
}

bool names(const comparison* compared, const std::string& name) {
    return compared != nullptr && std::ranges::any_of(compared->pairs, [&](const auto& pair) {
               return pair.a == name || pair.b == name;
           });
}

// Why a result has no figure; empty when it has one.
std::string refusal(const result& of) {
    if (!of.available) return "unavailable: " + (of.reason.empty() ? "no reason given" : of.reason);
    if (!of.verified) {
        if (of.verification == "none") return "not verified, so no figure is given";
        return fmt::format("failed verification ({}): error {} u, allowed {} u", of.verification,
                           roundoffs(of.error_ulp), roundoffs(of.error_bound_ulp));
    }
    if (of.trials_s.empty()) return "no trials: the run ended before its turn";
    if (of.above_peak)
        return fmt::format("impossible: {} is above the measured limit{}: wrong work or wrong time",
                           throughput(of.median_gflops),
                           of.roofline_gflops > 0 ? " of " + throughput(of.roofline_gflops) : "");
    return "";
}

// What a file holds of one shape and type. Every question about a case is put to these alone: to
// ask all of the file would take the square of its length.
struct shape_group {
    std::vector<const result*> results;
    std::vector<const comparison*> comparisons;
};

// Groups come in the order of their first results.
std::vector<std::pair<shape_key, shape_group>> by_shape(const results::document& doc) {
    std::vector<std::pair<shape_key, shape_group>> all;
    std::map<shape_key, std::size_t> known;
    for (const result& of : doc.results) {
        const auto [at, is_new] = known.try_emplace(shape_of(of), all.size());
        if (is_new) all.emplace_back(at->first, shape_group{});
        all[at->second].second.results.push_back(&of);
    }
    for (const comparison& compared : doc.comparisons) {
        const auto at = known.find(shape_of(compared));
        if (at != known.end()) all[at->second].second.comparisons.push_back(&compared);
    }
    return all;
}

// The thread counts that a shape's cases have, in the order met: those compared, then those of CPU
// results that no comparison holds (a lone one), and for a device alone whatever its results say.
std::vector<int> thread_counts(const shape_group& of) {
    std::vector<int> found;
    std::set<std::string> compared;
    const auto add = [&](int count) {
        if (std::ranges::find(found, count) == found.end()) found.push_back(count);
    };
    for (const comparison* one : of.comparisons) {
        add(one->threads);
        for (const results::pair& pair : one->pairs) compared.insert({pair.a, pair.b});
    }
    for (const result* one : of.results)
        if (one->on_cpu() && one->available && !compared.contains(one->implementation))
            add(one->threads);
    if (!found.empty()) return found;
    for (const result* one : of.results) add(one->threads);
    return found;
}

bool belongs(const shape_group& of, const result& one, const measured_case& here) {
    if (one.threads == here.threads || !one.on_cpu()) return true;
    if (!names(here.comparison, one.implementation)) return false;
    // Its own row at this thread count, where there is one, stands for it.
    return std::ranges::none_of(of.results, [&](const result* other) {
        return other->implementation == one.implementation && other->threads == here.threads;
    });
}

void enter(const result& of, measured_case& here) {
    if (std::string why = refusal(of); why.empty())
        here.ranked.push_back(&of);
    else
        here.refused.push_back({&of, std::move(why)});
}

// What follows from all that has entered.
void conclude(measured_case& here) {
    here.on_gpu = std::ranges::none_of(here.ranked, [](const result* r) { return r->on_cpu(); });
    const auto first =
        std::ranges::find_if(here.ranked, [](const result* r) { return is_disturbed(*r); });
    if (first != here.ranked.end())
        here.busy = disturbance_of((*first)->implementation, (*first)->busy,
                                   std::ranges::all_of(here.ranked, [&](const result* r) {
                                       return r->busy == (*first)->busy;
                                   }));
    std::ranges::stable_sort(here.ranked, std::ranges::greater{}, &result::median_gflops);
}

}  // namespace

std::string measured_case::size() const {
    return call.empty() ? shape(m, n, k) : fmt::format("{} ({})", shape(m, n, k), call);
}

std::string measured_case::label() const {
    const std::string text = dtype + " " + size();
    return threads == 0 || on_gpu ? text : text + ", " + report::threads(threads);
}

bool is_disturbed(const result& of) {
    return !of.busy.empty();
}

const result* highest_roofline(const measured_case& here, bool of_cpu) {
    const result* highest = nullptr;
    for (const result* one : here.ranked)
        if (one->on_cpu() == of_cpu && std::isfinite(one->roofline_gflops) &&
            one->roofline_gflops > (highest == nullptr ? 0 : highest->roofline_gflops))
            highest = one;
    return highest;
}

double roofline_of(const measured_case& here, const result& of) {
    const result* highest = highest_roofline(here, of.on_cpu());
    return highest == nullptr ? 0 : highest->roofline_gflops;
}

double percent_of_roofline(const measured_case& here, const result& of) {
    const double roofline = roofline_of(here, of);
    if (roofline > 0) return 100 * of.median_gflops / roofline;
    return std::isfinite(of.percent_of_roofline) ? of.percent_of_roofline : 0;
}

std::vector<ranked_row> rows_of(const measured_case& here, const std::string& base) {
    std::vector<ranked_row> all;
    if (here.ranked.empty()) return all;
    const auto named = std::ranges::find(here.ranked, base, &result::implementation);
    const result& other = named == here.ranked.end() ? *here.ranked.front() : **named;
    for (const result* of : here.ranked) {
        const int rank = here.busy.empty() ? static_cast<int>(all.size()) + 1 : of->rank;
        auto pair = compare(here, of->implementation, other.implementation);
        std::string verdict = pair ? pair->verdict : is_disturbed(*of) ? "busy" : "";
        all.push_back({of, rank, percent_of_roofline(here, *of), of == &other,
                       of == &other ? 1 : times_as_fast(here, other, *of), std::move(pair),
                       std::move(verdict), is_disturbed(*of) ? "" : of->group});
    }
    return all;
}

double times_as_fast(const measured_case& here, const result& first, const result& second) {
    const auto pair = compare(here, first.implementation, second.implementation);
    return pair ? pair->ratio : first.median_gflops / second.median_gflops;
}

std::string device_name(const results::document& doc, const measured_case& here) {
    return here.on_gpu ? gpu_name(doc) : results::surroundings_of(doc).cpu_model;
}

bool shows(const std::string& view, const result& of) {
    return view == "all" || (view == "cpu") == of.on_cpu();
}

int threads_used(const result& of) {
    return of.available ? of.threads_used : of.threads;
}

measured_case case_of(std::span<const result> results, const comparison& compared) {
    measured_case here;
    std::tie(here.dtype, here.m, here.n, here.k, here.call) = shape_of(compared);
    here.threads = compared.threads;
    here.comparison = &compared;
    for (const result& of : results) enter(of, here);
    conclude(here);
    return here;
}

std::vector<measured_case> group(const results::document& doc, const std::string& view) {
    std::vector<measured_case> cases;
    for (const auto& [key, of] : by_shape(doc)) {
        for (const int count : thread_counts(of)) {
            measured_case here;
            std::tie(here.dtype, here.m, here.n, here.k, here.call) = key;
            here.threads = count;
            const auto compared = std::ranges::find(of.comparisons, count, &comparison::threads);
            if (compared != of.comparisons.end()) here.comparison = *compared;
            for (const result* one : of.results)
                if (shows(view, *one) && belongs(of, *one, here)) enter(*one, here);
            conclude(here);
            if (!here.ranked.empty() || !here.refused.empty()) cases.push_back(std::move(here));
        }
    }
    return cases;
}

std::optional<results::pair> compare(const measured_case& where, const std::string& first,
                                     const std::string& second) {
    const results::pair* found =
        where.comparison == nullptr ? nullptr : where.comparison->find(first, second);
    if (found == nullptr) return std::nullopt;
    results::pair of = *found;
    if (of.a == first) return of;
    std::swap(of.a, of.b);
    if (of.verdict == "faster" || of.verdict == "slower")
        of.verdict = of.verdict == "faster" ? "slower" : "faster";
    of.ratio = 1 / of.ratio;
    if (results::bounded(of.ci95_ratio))
        of.ci95_ratio = {1 / of.ci95_ratio[1], 1 / of.ci95_ratio[0]};
    return of;
}

}  // namespace carat::report
