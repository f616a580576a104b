// How long one product takes whose lines begin beside whole ones of 128 bytes, as most sizes' do.
#pragma once

#include "plan/gemm_candidates.hpp"

namespace carat::plan {

/// Whether these costs are for it: one product of 8 or 16 bits, not thin, for which nothing is
/// asked and any candidate will do.
[[nodiscard]] bool is_off_lines(const gemm_request& of, const gemm_costs& costs);

[[nodiscard]] double off_lines_seconds(const candidate& c, const gemm_request& of,
                                       const gemm_costs& costs);

}  // namespace carat::plan
