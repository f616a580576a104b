// Every legal plan of a product, by the numbers that a corpus has for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/fit/drawn.hpp"
#include "cuda/common/gemm.hpp"

namespace carat::fit {

struct listed_plan {
    std::string numbers;  // family, row, swapped, parts of K, cluster along M and N, CTAs to an SM
    std::function<std::shared_ptr<const cuda::gemm_product>()> prepare;  // null: it can't
};

[[nodiscard]] core::gpu_call call_of(const product& of, const core::operand_alignment& aligned);

/// `before_hopper`: those of a GPU that has the family mma alone.
[[nodiscard]] std::vector<listed_plan> plans_of(const core::gpu_call& call, int sms,
                                                bool before_hopper);

}  // namespace carat::fit
