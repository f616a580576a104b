// What `explain` tells of a launch: the time that the planner saw, at the rate of memory that was
// measured here, and what it was counted from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/gpu_prediction.hpp"
#include "plan/gpu_costs.hpp"

namespace carat::plan {

/// The costs of a GPU whose memory reads at another rate.
[[nodiscard]] gpu_costs costs_at(const gpu_costs& costs, double memory_bytes_per_s);

/// What the work doesn't say.
struct explained_launch {
    std::string kind;         // of kernel
    std::string_view unit;    // that multiplies
    double stored_bytes = 0;  // of C
    double packed_bytes = 0;  // read and written before
};

/// Nothing where a rate is 0.
[[nodiscard]] std::optional<core::gpu_prediction> predict(const explained_launch& told,
                                                          const launch_work& work,
                                                          const sharing_costs& costs,
                                                          const core::roofline_rates& here);

/// A matrix times a vector, as fast as memory brings `bytes`, in so many CTAs.
[[nodiscard]] std::optional<core::gpu_prediction> predict_gemv(double bytes, std::int64_t ctas,
                                                               const gpu_costs& costs,
                                                               const core::roofline_rates& here);

}  // namespace carat::plan
