// What a GPU's plan foretells of a product, beside what was measured; and random sets of products,
// by which anyone can see how far that can be trusted.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/gpu_prediction.hpp"
#include "core/implementation.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/results/document.hpp"
#include "lab/session/case.hpp"

namespace carat::explain {

/// Nothing where the product can't tell, or `peaks` (null: not measured) lacks its unit.
[[nodiscard]] std::optional<core::gpu_prediction> foretell(const core::runnable& product,
                                                           const core::implementation* entry,
                                                           const core::problem& p,
                                                           const machine::peaks* peaks);

/// "as predicted" where the two intervals meet, else "slower ..." or "faster than predicted"; why
/// there is no verdict where none can be.
[[nodiscard]] std::string verdict_on(const core::gpu_prediction& foretold,
                                     const results::result& measured);

[[nodiscard]] nlohmann::json to_json(const core::gpu_prediction& foretold,
                                     const results::result& measured);

/// `count` products whose m, n and k are log-uniform from 16 to 16384, half of them rounded up to
/// multiples of 16, of `types` in turn: always the same for a seed.
[[nodiscard]] std::vector<request::case_key> draw(std::uint64_t seed, std::size_t count,
                                                  std::span<const dtype> types);

struct foretold_case {
    request::case_key key;
    std::string why;  // the plan
    std::optional<core::gpu_prediction> foretold;
    results::result measured;

    /// Measured over predicted; 0 where either is missing.
    [[nodiscard]] double ratio() const;
};

inline constexpr double near_enough = 0.15;

/// Of the cases that have both, those within 15 %; of one kind of kernel, or of all.
struct hit_rate {
    std::string kind;
    std::size_t within = 0;
    std::size_t of = 0;
    double least = 0, median = 0, most = 0;  // ratios

    [[nodiscard]] double share() const {
        return of == 0 ? 0 : static_cast<double>(within) / static_cast<double>(of);
    }
};

/// Of all ("all") first, then of each kind.
[[nodiscard]] std::vector<hit_rate> hit_rates(std::span<const foretold_case> all);

/// Everything there is to calibrate by, unrounded.
[[nodiscard]] nlohmann::json to_json(std::span<const foretold_case> all, std::uint64_t seed);

}  // namespace carat::explain
