// Turns ranks and pairs into sentences. A tie (equal within the margin) and an unclear pair (not
// enough evidence either way) are different answers and read differently.
#include "lab/report/verdict.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "lab/report/lead.hpp"
#include "lab/report/words.hpp"

namespace carat::report {
namespace {

using nlohmann::json;

std::string quoted(const json& result) {
    return fmt::format("`{}`", unquoted(result["implementation"]));
}

double gflops(const json& result) {
    return result["median_gflops"];
}

bool has_interval(const json& result) {
    return result.contains("ci95_gflops") && !result["ci95_gflops"].is_null();
}

// "142.1 GFLOP/s (95 % CI 141.0 to 143.2), 71 % of the measured roofline"
std::string figure(const json& doc, const measured_case& here, const json& result) {
    const double unit = unit_for(gflops(result)).gflops;
    const auto ends = [&](double low, double high) {
        return digits(low / unit) + " to " + digits(high / unit);
    };
    std::string said = throughput(gflops(result));
    if (has_interval(result)) {
        said +=
            fmt::format(" (95 % CI {})", ends(result["ci95_gflops"][0], result["ci95_gflops"][1]));
    } else if (const auto range = range_of_trials(result)) {
        said += fmt::format(" (trials {})", ends(range->first, range->second));
    }
    if (const double percent = percent_of_roofline(doc, here, result); percent > 0) {
        said += fmt::format(", {:.0f} % of the measured roofline", percent);
    }
    return said;
}

reach reach_of(const json& result) {
    const double median = gflops(result);
    const auto trials = range_of_trials(result).value_or(std::pair{median, median});
    const auto ends =
        has_interval(result) ? result["ci95_gflops"].get<std::pair<double, double>>() : trials;
    return reach_within(ends.first, median, ends.second, trials.second, is_disturbed(result));
}

std::vector<reach> reaches(const json& doc, const measured_case& here) {
    std::vector<reach> all;
    for (const std::size_t i : here.ranked) all.push_back(reach_of(doc["results"][i]));
    return all;
}

// Whether what disturbed others leaves the verdicts on the leader as they are.
bool stands_apart(const json& doc, const measured_case& here) {
    const std::vector<reach> all = reaches(doc, here);
    if (is_disturbed(doc["results"][here.ranked.front()])) return false;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (is_disturbed(doc["results"][here.ranked[i]]) && !apart(all.front(), all[i]))
            return false;
    return true;
}

// Everyone the leader does not certainly beat, by what the comparison says of the pair.
struct standing {
    std::vector<std::string> tied, unclear, untested;
    std::vector<const json*> behind;
};

standing stand(const json& doc, const measured_case& here) {
    standing found;
    const json& leader = doc["results"][here.ranked.front()];
    for (std::size_t i = 1; i < here.ranked.size(); ++i) {
        const json& result = doc["results"][here.ranked[i]];
        const auto pair = compare(here, leader["implementation"], result["implementation"]);
        if (is_disturbed(result)) {
            found.behind.push_back(&result);
        } else if (!pair) {
            found.untested.push_back(quoted(result));
        } else if (pair->verdict == "tie") {
            found.tied.push_back(quoted(result));
        } else if (pair->verdict == "unclear") {
            found.unclear.push_back(quoted(result));
        } else {
            found.behind.push_back(&result);
        }
    }
    return found;
}

std::string opening(const json& doc, const measured_case& here, const json& leader,
                    const standing& others) {
    std::string said;
    if (others.tied.empty() && others.unclear.empty() && others.untested.empty()) {
        return fmt::format("{} is fastest at {}", quoted(leader), figure(doc, here, leader));
    }
    if (others.tied.empty()) {
        said =
            fmt::format("{} has the highest median, {}", quoted(leader), figure(doc, here, leader));
    } else {
        const double margin =
            doc.contains("settings") ? field_or(doc["settings"], "equivalence_margin", 0.0) : 0.0;
        const std::string within = margin > 0 ? fmt::format(" within {:.3g} %", 100 * margin) : "";
        said = fmt::format("{} and {} are equally fast{}, at {}", quoted(leader),
                           listed(others.tied), within, figure(doc, here, leader));
    }
    if (!others.unclear.empty()) {
        said += fmt::format("; these trials can't tell {} from {}", listed(others.unclear),
                            quoted(leader));
    }
    if (!others.untested.empty()) {
        said += fmt::format("; no test compares it with {}", listed(others.untested));
    }
    return said;
}

std::string trailing(const measured_case& here, const json& leader, const standing& others) {
    const json& next = *others.behind.front();
    const json& last = *others.behind.back();
    const auto pair = compare(here, leader["implementation"], next["implementation"]);
    std::string said = fmt::format("{}, {}, takes {} as long",
                                   others.behind.size() == 1 ? "The other" : "The next",
                                   quoted(next), times(times_as_fast(here, leader, next)));
    if (pair && pair->ci_ratio) {
        said += fmt::format(" ({} {} to {})", pair->one_process ? "in this process" : "95 % CI",
                            times(pair->ci_ratio->first), times(pair->ci_ratio->second));
    }
    if (&next != &last) {
        said += fmt::format("; the slowest, {}, {}", quoted(last),
                            times(times_as_fast(here, leader, last)));
    }
    return said + ".";
}

// What the verdicts rest on where that is less than several processes, and what would settle those
// that are unclear.
std::vector<std::string> reservations(const json& doc, const measured_case& here) {
    std::vector<std::string> said;
    const json& leader = doc["results"][here.ranked.front()];
    std::size_t unclear = 0, hopeless = 0, unbounded = 0;
    bool one_process = false;
    double more_s = 0;
    for (std::size_t i = 1; i < here.ranked.size(); ++i) {
        const auto pair = compare(here, leader["implementation"],
                                  doc["results"][here.ranked[i]]["implementation"]);
        if (!pair) continue;
        one_process = one_process || pair->one_process;
        if (!pair->ci_ratio) ++unbounded;
        if (pair->verdict != "unclear") continue;
        ++unclear;
        if (pair->more_s <= 0) ++hopeless;
        more_s = std::max(more_s, pair->more_s);
    }
    if (one_process) said.push_back(sentence(within_one_process));
    if (unbounded > 0 && unbounded == unclear)
        said.push_back(sentence(too_few_for_an_interval));
    else if (more_s > 0)
        said.push_back(sentence(what_would_settle(unclear, hopeless, more_s)));
    return said;
}

// "Highest median: `a` in 4 of 6 cases and `b` in 2."; empty for a single case.
std::string leads(const json& doc, const std::vector<measured_case>& cases) {
    std::map<std::string, std::size_t> wins;
    std::size_t told = 0;
    for (const auto& here : cases) {
        if (here.ranked.empty()) continue;
        ++wins[quoted(doc["results"][here.ranked.front()])];
        ++told;
    }
    if (told < 2) return "";
    std::vector<std::pair<std::size_t, std::string>> order;
    order.reserve(wins.size());
    for (const auto& [name, count] : wins) order.emplace_back(count, name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> said;
    said.reserve(order.size());
    for (const auto& [count, name] : order) {
        said.push_back(count == told  ? fmt::format("{} in all {} cases", name, told)
                       : said.empty() ? fmt::format("{} in {} of {} cases", name, count, told)
                                      : fmt::format("{} in {}", name, count));
    }
    return fmt::format("Highest median: {}.", listed(said));
}

// What is certain where others disturbed the leader, or a row that might be before it.
std::string disturbed_lead(const json& doc, const measured_case& here) {
    const json& leader = doc["results"][here.ranked.front()];
    const std::vector<reach> all = reaches(doc, here);
    const std::string leads =
        fmt::format("{} has the highest median, {}", quoted(leader), figure(doc, here, leader));
    if (const auto sure = certain_lead(all))
        return fmt::format("{}, and is at least {} as fast as {}, which comes nearest", leads,
                           times(sure->at_least), quoted(doc["results"][here.ranked[sure->next]]));
    std::vector<std::string> near;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (!clears(all.front(), all[i])) near.push_back(quoted(doc["results"][here.ranked[i]]));
    return fmt::format("{}, but what was measured can't tell it from {}", leads, listed(near));
}

}  // namespace

std::vector<std::string> verdict(const json& doc, const measured_case& here) {
    if (here.ranked.empty()) return {"No implementation has a figure here."};
    const json& leader = doc["results"][here.ranked.front()];
    std::vector<std::string> left;
    if (!here.busy.empty()) left.push_back(sentence(left_out(unquoted(here.busy))));
    if (here.ranked.size() == 1) {
        left.insert(left.begin(), fmt::format("{} is the only one with a figure: {}.",
                                              quoted(leader), figure(doc, here, leader)));
        return left;
    }
    if (!here.busy.empty() && !stands_apart(doc, here)) {
        left.insert(left.begin(), disturbed_lead(doc, here) + ".");
        return left;
    }
    if (here.comparison == nullptr) {
        const json& next = doc["results"][here.ranked[1]];
        return {fmt::format(
            "{} has the highest median, {}, before {} at {}; the file holds no test of the "
            "difference.",
            quoted(leader), figure(doc, here, leader), quoted(next), throughput(gflops(next)))};
    }
    const standing others = stand(doc, here);
    std::vector<std::string> said{opening(doc, here, leader, others) + "."};
    if (!others.behind.empty()) said.push_back(trailing(here, leader, others));
    std::ranges::copy(reservations(doc, here), std::back_inserter(said));
    std::ranges::copy(left, std::back_inserter(said));
    return said;
}

std::optional<std::size_t> largest(const std::vector<measured_case>& cases) {
    const auto weight = [&](std::size_t i) {
        const auto& c = cases[i];
        const double operations =
            static_cast<double>(c.m) * static_cast<double>(c.n) * static_cast<double>(c.k);
        return std::tuple(operations, c.threads);
    };
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!cases[i].ranked.empty() && (!found || weight(i) > weight(*found))) found = i;
    }
    return found;
}

std::vector<std::string> headline(const json& doc, const std::vector<measured_case>& cases) {
    const auto opens_at = largest(cases);
    if (!opens_at) return {"Nothing in this file has a figure."};
    const auto& here = cases[*opens_at];
    std::vector<std::string> said = verdict(doc, here);
    // One alone has its own number, which its line tells, too.
    const std::int64_t count =
        here.ranked.size() == 1 ? threads_used(doc["results"][here.ranked.front()]) : here.threads;
    said.front() =
        fmt::format("On {}, {} {}{}: {}", unquoted(device_name(doc, here)), here.dtype, here.size(),
                    count == 0 || here.on_gpu ? "" : " with " + threads(count), said.front());
    if (const auto tally = leads(doc, cases); !tally.empty()) said.push_back(tally);
    return said;
}

}  // namespace carat::report
