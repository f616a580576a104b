// What changed between two documents: case by case, all verdicts as one family, and why a build
// that trusts them should fail.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/compare/analyse.hpp"
#include "lab/results/document.hpp"
#include "lab/statistics/sets.hpp"

namespace carat::comparing {

// One implementation on one case of the earlier file.
struct change {
    const results::result* before = nullptr;
    const results::result* after = nullptr;  // null: the later file doesn't have the case
    double ratio = 0;                        // throughput, after / before; 0: not both measured
    results::range ci95_ratio = results::unbounded;
    double confidence = 0, p = 1;
    // faster, slower, tie, unclear; or why there is none of these: lost (no figure any more), busy,
    // missing, one process (fewer than three: no interval).
    std::string verdict = {};
    std::string reason = {};  // of the latter
};

struct changes {
    std::vector<change> rows;
    std::size_t only_after = 0;      // measured cases that the earlier file doesn't have
    std::vector<std::string> notes;  // what else changed, beside the code
    std::optional<statistics::set_ratio> over_cases;  // where some have a ratio
    std::vector<std::string> failures;  // why the later file must not pass; empty: it may

    [[nodiscard]] std::size_t count(std::string_view verdict) const;
};

// When the cases of two documents were measured: each by itself, or side by side in the same
// rounds, so that process g of one belongs to process g of the other.
enum class rounds : std::uint8_t { apart, common };

// Matched by implementation, type, size, layout and threads. The documents must outlive it.
[[nodiscard]] changes compare_documents(const results::document& before,
                                        const results::document& after, const analysis_options& how,
                                        rounds in = rounds::apart);

// JSON as docs/results.md describes "changes" and "over_cases".
[[nodiscard]] nlohmann::json to_json(const change& c);
[[nodiscard]] nlohmann::json to_json(const std::optional<statistics::set_ratio>& set);

}  // namespace carat::comparing
