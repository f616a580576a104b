#include "lab/study/queries.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "lab/catalogue/catalogue.hpp"
#include "lab/compare/analyse.hpp"
#include "lab/report/words.hpp"

namespace carat::study {

namespace {

// `Of` is a result or a comparison.
template <class Of>
bool is_square(const Of& c, std::string_view dtype, std::int64_t n) {
    return c.dtype == dtype && c.m == n && c.n == n && c.k == n;
}

}  // namespace

const results::result* measured(const results::document& doc, std::string_view implementation,
                                std::string_view dtype, std::int64_t n) {
    const auto found = std::ranges::find_if(doc.results, [&](const results::result& c) {
        return c.has_figure() && c.implementation == implementation && is_square(c, dtype, n);
    });
    return found == doc.results.end() ? nullptr : &*found;
}

const results::comparison* compared(const results::document& doc, std::string_view dtype,
                                    std::int64_t n) {
    const auto found = std::ranges::find_if(doc.comparisons,
                                            [&](const auto& c) { return is_square(c, dtype, n); });
    return found == doc.comparisons.end() ? nullptr : &*found;
}

std::vector<std::int64_t> sizes(const results::document& doc, std::string_view dtype) {
    std::set<std::int64_t> all;
    for (const results::result& c : doc.results)
        if (c.has_figure() && is_square(c, dtype, c.n)) all.insert(c.n);
    return {all.begin(), all.end()};
}

std::vector<std::string> absences(const results::document& doc) {
    std::set<std::string> measured_somewhere;
    for (const results::result& c : doc.results)
        if (c.has_figure()) measured_somewhere.insert(c.implementation);
    // Each implementation once, with its first missing case and the number of others. Those that
    // lack the same case for the same reason share a line.
    std::map<std::string, int> lacking;
    std::vector<const results::result*> first;
    for (const results::result& c : doc.results)
        if (!c.has_figure() && !c.reason.empty() && lacking[c.implementation]++ == 0)
            first.push_back(&c);
    std::vector<std::pair<std::string, std::string>> reasons;  // and whose they are
    for (const results::result* c : first) {
        const std::string& name = c->implementation;
        const int more = measured_somewhere.contains(name) ? lacking.at(name) - 1 : 0;
        const std::string why =
            fmt::format("({} {}{}): {}", c->dtype, report::shape(c->m, c->n, c->k),
                        more > 0 ? fmt::format(" and {} more", more) : "", c->reason);
        const auto known = std::ranges::find(reasons, why, &decltype(reasons)::value_type::first);
        if (known == reasons.end())
            reasons.emplace_back(why, name);
        else
            known->second += ", " + name;
    }
    std::vector<std::string> all;
    all.reserve(reasons.size());
    for (const auto& [why, whose] : reasons) all.push_back(fmt::format("{} {}", whose, why));
    return all;
}

std::string verdict_of(const results::comparison& all, const std::string& a, const std::string& b) {
    const results::pair* p = all.find(a, b);
    if (p == nullptr) return "-";
    if (p->a == a || (p->verdict != "faster" && p->verdict != "slower")) return p->verdict;
    return p->verdict == "faster" ? "slower" : "faster";
}

void drop_empty_columns(chapter& c) {
    for (table& t : c.tables) {
        for (std::size_t column = t.head.size(); column-- > 1;) {
            const auto empty = [&](const auto& row) { return row[column] == "-"; };
            if (t.rows.empty() || !std::ranges::all_of(t.rows, empty)) continue;
            const auto drop = [&](std::vector<std::string>& row) {
                row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
            };
            drop(t.head);
            std::ranges::for_each(t.rows, drop);
        }
    }
}

void withhold_findings(chapter& c, const results::document& doc) {
    const auto busy = std::ranges::find_if(
        doc.results, [](const results::result& of) { return !of.busy.empty(); });
    if (busy != doc.results.end()) c.findings = {report::no_verdict(busy->busy)};
}

std::string gflops(double value) {
    return report::digits(value);
}

std::string gflops(const results::result* result) {
    return result == nullptr ? "-" : gflops(result->median_gflops);
}

std::string gflops_with_interval(const results::result* result) {
    if (result == nullptr) return "-";
    const comparing::extent_of_median extent = comparing::extent_of(*result);
    return fmt::format("{} {}[{}, {}]", gflops(result->median_gflops),
                       extent.interval ? "" : "range ", gflops(result->flop / extent.s[1] / 1e9),
                       gflops(result->flop / extent.s[0] / 1e9));
}

std::string probability(double p) {
    return p == 0 || p == 1 ? fmt::format("{}", p) : fmt::format("{:.3g}", p);
}

std::string last_part(std::string_view implementation) {
    return std::string(implementation.substr(implementation.rfind('.') + 1));
}

namespace {

// The names, separated by commas, that this build has rows for; a build without CUDA has none for a
// GPU.
std::string present(std::string_view names) {
    std::string kept;
    for (std::size_t first = 0; first < names.size();) {
        const std::size_t end = std::min(names.find(',', first), names.size());
        const std::string_view one = names.substr(first, end - first);
        const bool known = std::ranges::any_of(lab::catalogue().entries(), [&](const auto* entry) {
            return entry->name == one.substr(0, one.find('['));
        });
        if (known) kept += (kept.empty() ? "" : ",") + std::string(one);
        first = end + 1;
    }
    return kept;
}

}  // namespace

request::measurement request(const options& how, std::string_view implementations,
                             double budget_s) {
    request::measurement r;
    if (const std::string names = present(implementations); !names.empty())
        r.chosen = request::parse_selection(lab::catalogue(), names);
    // The names are the same for every machine, so one that is missing here is not run, and is no
    // error.
    for (request::selection& s : r.chosen) s.asked_for = false;
    r.threads = {how.threads};
    r.measure_energy = how.how_much != extent::quick;
    r.timing.budget_s = std::min(budget_s, how.most_budget_s);
    r.seed = how.seed;
    return r;
}

}  // namespace carat::study
