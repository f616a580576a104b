// How long a product made ready should take on this GPU, where something can tell.
#pragma once

#include <optional>

#include "core/gpu_prediction.hpp"

namespace carat::rows {

// A runnable that can predict its time.
class predicting {
  public:
    predicting() = default;
    predicting(const predicting&) = delete;
    predicting& operator=(const predicting&) = delete;
    virtual ~predicting() = default;

    // Empty if no model covers it, or a rate is 0. Operands are assumed to come from memory.
    [[nodiscard]] virtual std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const = 0;
};

}  // namespace carat::rows
