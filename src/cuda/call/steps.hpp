// A finish of the public call, steps in any order, as the one form that the kernels have:
//
//     activation(alpha AB scale + bias)
#pragma once

#include <carat/finish.hpp>

#include "cuda/sm90/finish.hpp"

namespace carat::cuda_call {

struct kernel_finish {
    double factor = 1;  // of alpha
    cuda::sm90::finish last;
};

/// @throws carat::error(unsupported) naming the first step that doesn't fit that form, and the
///         remedy.
[[nodiscard]] kernel_finish finish_of(const detail::finish_steps& steps);

}  // namespace carat::cuda_call
