// Groups that turn out to share out the rows of one A and one C, each with a B at one distance from
// the next: a layer of experts. Persistent tiles multiply them as one product of all rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cuda/common/gemm.hpp"
#include "cuda/common/scope.hpp"
#include "plan/gpu_plan.hpp"

namespace carat::gpu_engine {

struct shared_rows {
    core::problem whole;
    core::operands first;
    std::int64_t b_apart;
    std::vector<std::int32_t> ends;  // of each B, whether there are rows for it or not
};

/// Nothing where they don't, or persistent tiles couldn't store them.
[[nodiscard]] std::optional<shared_rows> shared_rows_of(std::span<const core::gpu_product> all);

/// Starts them by this plan, of persistent tiles. False: they can't be, and nothing was started.
[[nodiscard]] bool multiply_rows(core::gpu_call call, cuda::bindings with, const shared_rows& rows,
                                 const carat::plan::gpu_plan& by, cuda::call_scope& scope);

}  // namespace carat::gpu_engine
