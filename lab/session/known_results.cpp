#include "lab/session/known_results.hpp"

namespace carat::session {

namespace {

template <class Of>
void erase_places(std::vector<Of>& all, std::set<std::size_t>& places) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (places.contains(i)) continue;
        if (kept != i) all[kept] = std::move(all[i]);
        ++kept;
    }
    all.resize(kept);
    places.clear();
}

}  // namespace

double run_s(const results::result& c) {
    return c.median_gflops > 0 ? c.flop / c.median_gflops / 1e9 : c.cold_s;
}

known_results::known_results(results::document& doc) : doc_(doc) {
    build();
}

void known_results::build() {
    cases_.clear();
    largest_.clear();
    for (std::size_t i = 0; i < doc_.results.size(); ++i) enter_result(i);
    for (std::size_t i = 0; i < doc_.comparisons.size(); ++i) enter_comparison(i);
}

void known_results::enter_result(std::size_t i) {
    const results::result& c = doc_.results[i];
    cases_[c.id()].results.push_back(i);
    if (!(run_s(c) > 0)) return;
    auto& by_threads = largest_[{c.implementation, c.dtype}];
    const auto [known, is_new] = by_threads.try_emplace(c.threads, i);
    if (!is_new && c.flop > doc_.results[known->second].flop) known->second = i;
}

void known_results::enter_comparison(std::size_t i) {
    cases_[doc_.comparisons[i].id()].comparisons.push_back(i);
}

std::vector<const results::result*> known_results::of_case(const request::case_key& key) const {
    std::vector<const results::result*> found;
    const auto known = cases_.find(request::product_case_of(key).id());
    if (known == cases_.end()) return found;
    for (const std::size_t i : known->second.results) found.push_back(&doc_.results[i]);
    return found;
}

const results::result* known_results::largest(const std::string& label, dtype type,
                                              std::optional<int> threads) const {
    const auto known = largest_.find({label, std::string(name(type))});
    if (known == largest_.end()) return nullptr;
    const results::result* found = nullptr;
    for (const auto& [count, i] : known->second) {
        const results::result& c = doc_.results[i];
        if ((!threads || count == *threads) && (found == nullptr || c.flop > found->flop))
            found = &c;
    }
    return found;
}

void known_results::add(const case_result& one) {
    for (const results::result& c : one.results) {
        doc_.results.push_back(c);
        enter_result(doc_.results.size() - 1);
    }
    doc_.comparisons.push_back(one.compared);
    enter_comparison(doc_.comparisons.size() - 1);
}

void known_results::forget(const request::case_key& key) {
    const auto known = cases_.find(request::product_case_of(key).id());
    if (known == cases_.end()) return;
    forgotten_results_.insert(known->second.results.begin(), known->second.results.end());
    forgotten_comparisons_.insert(known->second.comparisons.begin(),
                                  known->second.comparisons.end());
    cases_.erase(known);
}

void known_results::settle() {
    if (forgotten_results_.empty() && forgotten_comparisons_.empty()) return;
    erase_places(doc_.results, forgotten_results_);
    erase_places(doc_.comparisons, forgotten_comparisons_);
    build();
}

}  // namespace carat::session
