// Which steps of an epilogue kernels take on the way to C: those that have the form
//
//     activation(alpha AB scale + bias)
//
// and gates of it.
#pragma once

#include <optional>

#include <carat/epilogue.hpp>

#include "cuda/common/epilogue_fusion.hpp"

namespace carat::gpu_engine {

struct kernel_epilogue {
    double factor = 1;  // of alpha
    cuda::epilogue_fusion fusion;
};

/// Nothing where the steps have another form.
[[nodiscard]] std::optional<kernel_epilogue> epilogue_of(const detail::epilogue_steps& steps);

/// @throws carat::error(unsupported) naming the first step that no kernel takes, and the remedy.
void check_steps(const detail::epilogue_steps& steps);

}  // namespace carat::gpu_engine
