// Groups results into cases, decides who has a figure, and reads pairs both ways round.
#include "lab/report/cases.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;
using shape_key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;

shape_key shape_of(const json& entry) {
    return {entry["dtype"], entry["m"], entry["n"], entry["k"],
            field_or<std::string>(entry, "call", "")};
}

bool on_cpu(const json& result) {
    return result["device"] == "cpu";
}

bool names(const json* comparison, const json& label) {
    if (comparison == nullptr) return false;
    return std::any_of((*comparison)["pairs"].begin(), (*comparison)["pairs"].end(),
                       [&](const json& pair) { return pair["a"] == label || pair["b"] == label; });
}

// Why a result has no figure; empty when it has one.
std::string refusal(const json& result) {
    if (!result["available"].get<bool>()) {
        return "unavailable: " + field_or<std::string>(result, "reason", "no reason given");
    }
    if (!result["verified"].get<bool>()) {
        const auto method = field_or<std::string>(result, "verification", "none");
        if (method == "none") return "not verified, so no figure is given";
        return fmt::format("failed verification ({}): error {} u, allowed {} u", method,
                           roundoffs(field_or(result, "error_ulp", 0.0)),
                           roundoffs(field_or(result, "error_bound_ulp", 0.0)));
    }
    if (result["trials_s"].empty()) return "no trials: the run ended before its turn";
    if (field_or(result, "above_peak", false)) {
        return fmt::format(
            "impossible: {} is above the measured limit{}: wrong work or wrong time",
            throughput(result["median_gflops"]),
            result.contains("roofline_gflops") && !result["roofline_gflops"].is_null()
                ? " of " + throughput(result["roofline_gflops"])
                : "");
    }
    return "";
}

// What a file holds of one shape and type. Every question about a case is put to these alone: to
// ask all of the file would take the square of its length.
struct shape_group {
    std::vector<std::size_t> results;
    std::vector<const json*> comparisons;
};

// In the order of their first results.
std::vector<std::pair<shape_key, shape_group>> by_shape(const json& doc) {
    std::vector<std::pair<shape_key, shape_group>> all;
    std::map<shape_key, std::size_t> known;
    const auto& results = doc["results"];
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto [at, is_new] = known.try_emplace(shape_of(results[i]), all.size());
        if (is_new) all.emplace_back(at->first, shape_group{});
        all[at->second].second.results.push_back(i);
    }
    for (const auto& comparison : doc["comparisons"]) {
        const auto at = known.find(shape_of(comparison));
        if (at != known.end()) all[at->second].second.comparisons.push_back(&comparison);
    }
    return all;
}

// The thread counts that a shape's cases have, in the order met: those compared, then those of CPU
// results that no comparison holds (a lone one), and for a device alone whatever its results say.
std::vector<std::int64_t> thread_counts(const json& doc, const shape_group& of) {
    std::vector<std::int64_t> found;
    std::set<std::string> compared;
    const auto add = [&](std::int64_t count) {
        if (std::find(found.begin(), found.end(), count) == found.end()) found.push_back(count);
    };
    for (const json* comparison : of.comparisons) {
        add((*comparison)["threads"]);
        for (const auto& pair : (*comparison)["pairs"]) {
            compared.insert({pair["a"].get<std::string>(), pair["b"].get<std::string>()});
        }
    }
    for (const std::size_t i : of.results) {
        const json& result = doc["results"][i];
        if (on_cpu(result) && result["available"].get<bool>() &&
            !compared.contains(result["implementation"])) {
            add(result["threads"]);
        }
    }
    if (!found.empty()) return found;
    for (const std::size_t i : of.results) add(doc["results"][i]["threads"]);
    return found;
}

bool belongs(const json& doc, const shape_group& of, const json& result,
             const measured_case& here) {
    if (result["threads"] == here.threads || !on_cpu(result)) return true;
    if (!names(here.comparison, result["implementation"])) return false;
    // Its own row at this thread count, where there is one, stands for it.
    return std::none_of(of.results.begin(), of.results.end(), [&](std::size_t i) {
        const json& other = doc["results"][i];
        return other["implementation"] == result["implementation"] &&
               other["threads"] == here.threads;
    });
}

void fill(const json& doc, const shape_group& of, const std::string& view, measured_case& here) {
    const auto& results = doc["results"];
    for (const std::size_t i : of.results) {
        if (!shows(view, results[i]) || !belongs(doc, of, results[i], here)) continue;
        const std::string why = refusal(results[i]);
        if (why.empty()) {
            here.ranked.push_back(i);
        } else {
            here.refused.push_back({i, why});
        }
    }
    here.on_gpu =
        std::ranges::none_of(here.ranked, [&](std::size_t i) { return on_cpu(results[i]); });
    const auto first =
        std::ranges::find_if(here.ranked, [&](std::size_t i) { return is_disturbed(results[i]); });
    if (first != here.ranked.end())
        here.busy = disturbance_of(results[*first]["implementation"], results[*first]["busy"],
                                   std::ranges::all_of(here.ranked, [&](std::size_t i) {
                                       return is_disturbed(results[i]) &&
                                              results[i]["busy"] == results[*first]["busy"];
                                   }));
    std::stable_sort(here.ranked.begin(), here.ranked.end(), [&](std::size_t a, std::size_t b) {
        return results[a]["median_gflops"].get<double>() >
               results[b]["median_gflops"].get<double>();
    });
}

const json* comparison_of(const shape_group& of, std::int64_t threads) {
    const auto found =
        std::find_if(of.comparisons.begin(), of.comparisons.end(),
                     [&](const json* comparison) { return (*comparison)["threads"] == threads; });
    return found == of.comparisons.end() ? nullptr : *found;
}

std::string reversed(const std::string& verdict) {
    return verdict == "faster" ? "slower" : verdict == "slower" ? "faster" : verdict;
}

}  // namespace

std::string measured_case::size() const {
    return call.empty() ? shape(m, n, k) : fmt::format("{} ({})", shape(m, n, k), call);
}

std::string measured_case::label() const {
    const std::string text = dtype + " " + size();
    return threads == 0 || on_gpu ? text : text + ", " + report::threads(threads);
}

bool is_disturbed(const json& result) {
    return !field_or<std::string>(result, "busy", "").empty();
}

double roofline_of(const json& doc, const measured_case& here, const json& of) {
    double highest = 0;
    for (const std::size_t i : here.ranked) {
        const json& result = doc["results"][i];
        if (on_cpu(result) == on_cpu(of))
            highest = std::max(highest, field_or(result, "roofline_gflops", 0.0));
    }
    return highest;
}

double percent_of_roofline(const json& doc, const measured_case& here, const json& of) {
    const double roofline = roofline_of(doc, here, of);
    if (roofline <= 0) return field_or(of, "percent_of_roofline", 0.0);
    return 100 * of["median_gflops"].get<double>() / roofline;
}

double times_as_fast(const measured_case& here, const json& first, const json& second) {
    const auto pair = compare(here, first["implementation"], second["implementation"]);
    if (pair && pair->ratio) return *pair->ratio;
    return first["median_gflops"].get<double>() / second["median_gflops"].get<double>();
}

std::string device_name(const json& doc, const measured_case& here) {
    const json& machine = doc["machine"];
    return here.on_gpu ? gpu_name(machine) : machine["cpu_model"].get<std::string>();
}

bool shows(const std::string& view, const json& result) {
    return view == "all" || (view == "cpu") == on_cpu(result);
}

std::int64_t threads_used(const json& result) {
    return field_or<std::int64_t>(result, "threads_used", result["threads"]);
}

std::vector<measured_case> group(const json& doc, const std::string& view) {
    std::vector<measured_case> cases;
    for (const auto& [key, of] : by_shape(doc)) {
        for (const std::int64_t count : thread_counts(doc, of)) {
            measured_case here;
            std::tie(here.dtype, here.m, here.n, here.k, here.call) = key;
            here.threads = count;
            here.comparison = comparison_of(of, count);
            fill(doc, of, view, here);
            if (!here.ranked.empty() || !here.refused.empty()) cases.push_back(std::move(here));
        }
    }
    return cases;
}

std::optional<pair_reading> compare(const measured_case& where, const std::string& first,
                                    const std::string& second) {
    if (where.comparison == nullptr) return std::nullopt;
    for (const auto& pair : (*where.comparison)["pairs"]) {
        const bool forward = pair["a"] == first && pair["b"] == second;
        if (!forward && !(pair["a"] == second && pair["b"] == first)) continue;
        pair_reading reading;
        reading.verdict = pair["verdict"];
        const double ratio = field_or(pair, "ratio", 0.0);
        if (ratio > 0) reading.ratio = ratio;
        if (pair.contains("ci95_ratio") && !pair["ci95_ratio"].is_null()) {
            reading.ci_ratio = pair["ci95_ratio"].get<std::pair<double, double>>();
        }
        reading.one_process = field_or<std::string>(pair, "interval_over", "") == "one process";
        reading.more_s = field_or(pair, "more_s", 0.0);
        if (forward) return reading;
        reading.verdict = reversed(reading.verdict);
        if (reading.ratio) reading.ratio = 1 / *reading.ratio;
        if (reading.ci_ratio) {
            reading.ci_ratio = {1 / reading.ci_ratio->second, 1 / reading.ci_ratio->first};
        }
        return reading;
    }
    return std::nullopt;
}

}  // namespace carat::report
