// The plan of step 9 that the GPU in use has shared memory for; step 10 multiplies by it, too.
#pragma once

#include <cstddef>

#include "cuda/common/device.hpp"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

template <class In, class Out, class Sum>
[[nodiscard]] plan<In, Out, Sum> wmma_shared_plan_that_fits(bool small) {
    const auto gpu = carat::cuda::describe(carat::cuda::device_in_use());
    const auto large = wmma_shared_step::choose<In, Out, Sum>(0);
    const bool fits = static_cast<std::size_t>(large.shared_bytes) <= gpu.shared_bytes_per_block;
    return fits && !small ? large : wmma_shared_step::choose<In, Out, Sum>(1);
}

}  // namespace carat::ladder::cuda
