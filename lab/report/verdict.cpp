// Turns ranks and pairs into sentences. A tie (equal within the margin) and an unclear pair (not
// enough evidence either way) are different answers and read differently.
#include "lab/report/verdict.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

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

// "142.1 GFLOP/s (95 % CI 141.0 to 143.2), 71 % of the measured roofline"
std::string figure(const json& result) {
    std::string said = digits(gflops(result)) + " GFLOP/s";
    if (result.contains("ci95_gflops") && !result["ci95_gflops"].is_null()) {
        said += fmt::format(" (95 % CI {} to {})", digits(result["ci95_gflops"][0]),
                            digits(result["ci95_gflops"][1]));
    } else if (const auto range = range_of_trials(result)) {
        said += fmt::format(" (trials {} to {})", digits(range->first), digits(range->second));
    }
    if (const double percent = field_or(result, "percent_of_roofline", 0.0); percent > 0) {
        said += fmt::format(", {:.0f} % of the measured roofline", percent);
    }
    return said;
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
        if (!pair) {
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

std::string opening(const json& doc, const json& leader, const standing& others) {
    std::string said;
    if (others.tied.empty() && others.unclear.empty() && others.untested.empty()) {
        return fmt::format("{} is fastest at {}", quoted(leader), figure(leader));
    }
    if (others.tied.empty()) {
        said = fmt::format("{} has the highest median, {}", quoted(leader), figure(leader));
    } else {
        const double margin =
            doc.contains("settings") ? field_or(doc["settings"], "equivalence_margin", 0.0) : 0.0;
        const std::string within = margin > 0 ? fmt::format(" within {:.3g} %", 100 * margin) : "";
        said = fmt::format("{} and {} are equally fast{}, at {}", quoted(leader),
                           listed(others.tied), within, figure(leader));
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
    const double ratio = pair && pair->ratio ? *pair->ratio : gflops(leader) / gflops(next);
    std::string said = fmt::format("{}, {}, takes {} as long",
                                   others.behind.size() == 1 ? "The other" : "The next",
                                   quoted(next), times(ratio));
    if (pair && pair->ci_ratio) {
        said += fmt::format(" ({} {} to {})", pair->one_process ? "in this process" : "95 % CI",
                            times(pair->ci_ratio->first), times(pair->ci_ratio->second));
    }
    if (&next != &last) {
        said += fmt::format("; the slowest, {}, {}", quoted(last),
                            times(gflops(leader) / gflops(last)));
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
        if (here.ranked.empty() || !here.busy.empty()) continue;
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

}  // namespace

std::vector<std::string> verdict(const json& doc, const measured_case& here) {
    if (here.ranked.empty()) return {"No implementation has a figure here."};
    if (!here.busy.empty()) return {no_verdict(unquoted(here.busy)) + "."};
    const json& leader = doc["results"][here.ranked.front()];
    if (here.ranked.size() == 1) {
        return {
            fmt::format("{} is the only one with a figure: {}.", quoted(leader), figure(leader))};
    }
    if (here.comparison == nullptr) {
        const json& next = doc["results"][here.ranked[1]];
        return {
            fmt::format("{} has the highest median, {}, before {} at {} GFLOP/s; the file holds "
                        "no test of the difference.",
                        quoted(leader), figure(leader), quoted(next), digits(gflops(next)))};
    }
    const standing others = stand(doc, here);
    std::vector<std::string> said{opening(doc, leader, others) + "."};
    if (!others.behind.empty()) said.push_back(trailing(here, leader, others));
    std::ranges::copy(reservations(doc, here), std::back_inserter(said));
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
    said.front() = fmt::format(
        "On {}, {} {}{}: {}", unquoted(doc["machine"]["cpu_model"]), here.dtype, here.size(),
        here.threads == 0 ? "" : " with " + threads(here.threads), said.front());
    if (const auto tally = leads(doc, cases); !tally.empty()) said.push_back(tally);
    return said;
}

}  // namespace carat::report
