// How long a product takes by costs that were fitted to random ones: of one whose lines begin
// beside whole ones of 128 bytes, as most sizes' do, and of smaller batches.
#pragma once

#include "plan/gemm_candidates.hpp"

namespace carat::plan {

/// Whether these costs are for it, of elements of 8 or 16 bits, for which nothing is asked but a
/// batch's schedule. Any candidate will do then.
[[nodiscard]] bool is_fitted(const gemm_request& of, const gemm_costs& costs);

[[nodiscard]] double fitted_seconds(const candidate& c, const gemm_request& of,
                                    const gemm_costs& costs);

}  // namespace carat::plan
