// The results of a document, found by case and by implementation without a look at each: a session
// asks about every case, and would take the square of their number.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lab/results/document.hpp"
#include "lab/session/case.hpp"

namespace carat::session {

class known_results {
  public:
    explicit known_results(results::document& doc);

    // Those of a case, in their order.
    [[nodiscard]] std::vector<const results::result*> of_case(const request::case_key& key) const;

    // The largest product of what is so labelled that tells how long one takes: with so many
    // threads, or with any. Null: none.
    [[nodiscard]] const results::result* largest(const std::string& label, dtype type,
                                                 std::optional<int> threads) const;

    void add(const case_result& one);

    // What is here of a case goes: from the document at the next settle().
    void forget(const request::case_key& key);
    void settle();

  private:
    struct places {
        std::vector<std::size_t> results, comparisons;
    };
    void build();
    void enter_result(std::size_t i);
    void enter_comparison(std::size_t i);

    results::document& doc_;
    std::unordered_map<std::string, places> cases_;
    std::map<std::pair<std::string, std::string>, std::map<int, std::size_t>> largest_;
    std::set<std::size_t> forgotten_results_, forgotten_comparisons_;
};

// What a run took; of a product that was skipped for it, its only one.
[[nodiscard]] double run_s(const results::result& c);

}  // namespace carat::session
