// Compares what a GPU's plan predicts for a product with the measurement, and draws random sets of
// products by which anyone can see how reliable that is.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/gpu_prediction.hpp"
#include "lab/machine/peaks.hpp"
#include "lab/results/document.hpp"
#include "lab/rows/implementation.hpp"
#include "lab/session/case.hpp"

namespace carat::explain {

/// Empty if the product cannot tell, or `peaks` (null: not measured) lacks its unit.
[[nodiscard]] std::optional<core::gpu_prediction> foretell(const rows::runnable& product,
                                                           const rows::implementation* entry,
                                                           const core::problem& p,
                                                           const machine::peaks* peaks);

/// "as predicted" if the two intervals meet, else "slower ..." or "faster than predicted", or why
/// there is no verdict.
[[nodiscard]] std::string verdict_on(const core::gpu_prediction& foretold,
                                     const results::result& measured);

/// What takes most of the predicted time: "tensor cores, 94 % of it".
[[nodiscard]] std::string binding(const core::gpu_prediction& foretold);

[[nodiscard]] nlohmann::json to_json(const core::gpu_prediction& foretold,
                                     const results::result& measured);

/// `count` products with log-uniform m, n and k from 16 to 16384, half of them rounded up to
/// multiples of 16, of `types` in turn; a seed always gives the same ones.
[[nodiscard]] std::vector<request::case_key> draw(std::uint64_t seed, std::size_t count,
                                                  std::span<const dtype> types);

struct foretold_case {
    request::case_key key;
    std::string why;  // the plan
    std::optional<core::gpu_prediction> foretold;
    results::result measured;

    /// Measured over predicted; 0 if either is missing.
    [[nodiscard]] double ratio() const;
};

inline constexpr double near_enough = 0.15;

/// How many of the cases that have both are within 15 %, for one kind of kernel or for all.
struct hit_rate {
    std::string kind;
    std::size_t within = 0;
    std::size_t of = 0;
    double least = 0, median = 0, most = 0;  // ratios

    [[nodiscard]] double share() const {
        return of == 0 ? 0 : static_cast<double>(within) / static_cast<double>(of);
    }
};

/// The rate of all ("all") first, then of each kind.
[[nodiscard]] std::vector<hit_rate> hit_rates(std::span<const foretold_case> all);

/// All data for calibration, unrounded.
[[nodiscard]] nlohmann::json to_json(std::span<const foretold_case> all, std::uint64_t seed);

}  // namespace carat::explain
