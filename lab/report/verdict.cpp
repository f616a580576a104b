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
#include "lab/results/surroundings.hpp"

namespace carat::report {
namespace {

using results::result;

std::string quoted(const result& of) {
    return fmt::format("`{}`", unquoted(of.implementation));
}

// "142.1 GFLOP/s (95 % CI 141.0 to 143.2), 71 % of the measured roofline"
std::string figure(const measured_case& here, const result& of) {
    const double unit = unit_for(of.median_gflops).gflops;
    const auto ends = [&](const results::range& r) {
        return digits(r[0] / unit) + " to " + digits(r[1] / unit);
    };
    std::string said = throughput(of.median_gflops);
    if (has_interval(of))
        said += fmt::format(" (95 % CI {})", ends(of.ci95_gflops));
    else if (const auto range = range_of_trials(of))
        said += fmt::format(" (trials {})", ends(*range));
    if (const double percent = percent_of_roofline(here, of); percent > 0)
        said += fmt::format(", {:.0f} % of the measured roofline", percent);
    return said;
}

// Whether what disturbed others leaves the verdicts on the leader as they are.
bool stands_apart(const measured_case& here) {
    const std::vector<reach> all = reaches_of(here);
    if (is_disturbed(*here.ranked.front())) return false;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (is_disturbed(*here.ranked[i]) && !apart(all.front(), all[i])) return false;
    return true;
}

// Everyone the leader does not certainly beat, by what the comparison says of the pair.
struct standing {
    std::vector<std::string> tied, unclear, untested;
    std::vector<const result*> behind;
};

standing stand(const measured_case& here) {
    standing found;
    const result& leader = *here.ranked.front();
    for (std::size_t i = 1; i < here.ranked.size(); ++i) {
        const result& other = *here.ranked[i];
        const auto pair = compare(here, leader.implementation, other.implementation);
        if (is_disturbed(other))
            found.behind.push_back(&other);
        else if (!pair)
            found.untested.push_back(quoted(other));
        else if (pair->verdict == "tie")
            found.tied.push_back(quoted(other));
        else if (pair->verdict == "unclear")
            found.unclear.push_back(quoted(other));
        else
            found.behind.push_back(&other);
    }
    return found;
}

std::string opening(const results::document& doc, const measured_case& here,
                    const standing& others) {
    const result& leader = *here.ranked.front();
    if (others.tied.empty() && others.unclear.empty() && others.untested.empty())
        return fmt::format("{} is fastest at {}", quoted(leader), figure(here, leader));
    std::string said;
    if (others.tied.empty()) {
        said = fmt::format("{} has the highest median, {}", quoted(leader), figure(here, leader));
    } else {
        const double margin = results::surroundings_of(doc).equivalence_margin;
        const std::string within = margin > 0 ? fmt::format(" within {:.3g} %", 100 * margin) : "";
        said = fmt::format("{} and {} are equally fast{}, at {}", quoted(leader),
                           listed(others.tied), within, figure(here, leader));
    }
    if (!others.unclear.empty())
        said += fmt::format("; these trials can't tell {} from {}", listed(others.unclear),
                            quoted(leader));
    if (!others.untested.empty())
        said += fmt::format("; no test compares it with {}", listed(others.untested));
    return said;
}

std::string trailing(const measured_case& here, const standing& others) {
    const result& leader = *here.ranked.front();
    const result& next = *others.behind.front();
    const result& last = *others.behind.back();
    const auto pair = compare(here, leader.implementation, next.implementation);
    std::string said = fmt::format("{}, {}, takes {} as long",
                                   others.behind.size() == 1 ? "The other" : "The next",
                                   quoted(next), times(times_as_fast(here, leader, next)));
    if (pair && results::bounded(pair->ci95_ratio))
        said += fmt::format(" ({} {} to {})",
                            pair->interval_over == one_process ? "in this process" : "95 % CI",
                            times(pair->ci95_ratio[0]), times(pair->ci95_ratio[1]));
    if (&next != &last)
        said += fmt::format("; the slowest, {}, {}", quoted(last),
                            times(times_as_fast(here, leader, last)));
    return said + ".";
}

// What the verdicts rest on where that is less than several processes, and what would settle those
// that are unclear.
std::vector<std::string> reservations(const measured_case& here) {
    std::vector<std::string> said;
    std::size_t unclear = 0, hopeless = 0, unbounded = 0;
    bool of_one_process = false;
    double more_s = 0;
    for (std::size_t i = 1; i < here.ranked.size(); ++i) {
        const auto pair =
            compare(here, here.ranked.front()->implementation, here.ranked[i]->implementation);
        if (!pair) continue;
        of_one_process = of_one_process || pair->interval_over == one_process;
        if (!results::bounded(pair->ci95_ratio)) ++unbounded;
        if (pair->verdict != "unclear") continue;
        ++unclear;
        if (pair->more_s <= 0) ++hopeless;
        more_s = std::max(more_s, pair->more_s);
    }
    if (of_one_process) said.push_back(sentence(within_one_process));
    if (unbounded > 0 && unbounded == unclear)
        said.push_back(sentence(too_few_for_an_interval));
    else if (more_s > 0)
        said.push_back(sentence(what_would_settle(unclear, hopeless, more_s)));
    return said;
}

// How many cases the first of those that lead some leads.
std::string led(std::size_t count, std::size_t told) {
    if (count < told) return fmt::format(" in {} of {} cases", count, told);
    return told == 2 ? " in both cases" : fmt::format(" in all {} cases", told);
}

// "Highest median: `a` in 4 of 6 cases and `b` in 2."; empty for a single case. The report's list
// also has cases without a figure.
std::string leads(const std::vector<measured_case>& cases) {
    std::map<std::string, std::size_t> wins;
    std::size_t told = 0;
    for (const auto& here : cases) {
        if (here.ranked.empty()) continue;
        ++wins[quoted(*here.ranked.front())];
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
        said.push_back(name + (said.empty() ? led(count, told) : fmt::format(" in {}", count)));
    }
    if (told < cases.size()) said.front() += " with a figure";
    return fmt::format("Highest median: {}.", listed(said));
}

// What is certain where others disturbed the leader, or a row that might be before it.
std::string disturbed_lead(const measured_case& here) {
    const result& leader = *here.ranked.front();
    const std::string leads =
        fmt::format("{} has the highest median, {}", quoted(leader), figure(here, leader));
    if (const auto sure = certain_lead(here))
        return fmt::format("{}, and is at least {} as fast as {}, which comes nearest", leads,
                           times(sure->at_least), quoted(*sure->next));
    const std::vector<reach> all = reaches_of(here);
    std::vector<std::string> near;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (!clears(all.front(), all[i])) near.push_back(quoted(*here.ranked[i]));
    return fmt::format("{}, but what was measured can't tell it from {}", leads, listed(near));
}

}  // namespace

std::vector<std::string> verdict(const results::document& doc, const measured_case& here) {
    if (here.ranked.empty()) return {"No implementation has a figure here."};
    const result& leader = *here.ranked.front();
    std::vector<std::string> left;
    if (!here.busy.empty()) left.push_back(sentence(left_out(unquoted(here.busy))));
    if (here.ranked.size() == 1) {
        left.insert(left.begin(), fmt::format("{} is the only one with a figure: {}.",
                                              quoted(leader), figure(here, leader)));
        return left;
    }
    if (!here.busy.empty() && !stands_apart(here)) {
        left.insert(left.begin(), disturbed_lead(here) + ".");
        return left;
    }
    if (here.comparison == nullptr) {
        const result& next = *here.ranked[1];
        return {fmt::format(
            "{} has the highest median, {}, before {} at {}; the file holds no test of the "
            "difference.",
            quoted(leader), figure(here, leader), quoted(next), throughput(next.median_gflops))};
    }
    const standing others = stand(here);
    std::vector<std::string> said{opening(doc, here, others) + "."};
    if (!others.behind.empty()) said.push_back(trailing(here, others));
    std::ranges::copy(reservations(here), std::back_inserter(said));
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

std::vector<std::string> headline(const results::document& doc,
                                  const std::vector<measured_case>& cases) {
    const auto opens_at = largest(cases);
    if (!opens_at && !doc.studies.empty() && doc.results.empty())
        return doc.studies.front().findings;
    if (!opens_at) return {"Nothing in this file has a figure."};
    const auto& here = cases[*opens_at];
    std::vector<std::string> said = verdict(doc, here);
    // One alone has its own number, which its line tells, too.
    const int count = here.ranked.size() == 1 ? threads_used(*here.ranked.front()) : here.threads;
    said.front() =
        fmt::format("On {}, {} {}{}: {}", unquoted(device_name(doc, here)), here.dtype, here.size(),
                    count == 0 || here.on_gpu ? "" : " with " + threads(count), said.front());
    if (const auto tally = leads(cases); !tally.empty()) said.push_back(tally);
    return said;
}

}  // namespace carat::report
