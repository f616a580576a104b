// Memory of the GPU that a prepared product needs while it runs, for packed operands say: its own
// from the beginning, or, where it is prepared within a call on a caller's stream, lent by the call
// (scope.hpp) each time it runs.
#pragma once

#include <cstddef>

#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"

namespace carat::cuda {

class scratch {
  public:
    /// None.
    scratch() = default;
    /// @throws carat::error(out_of_memory).
    explicit scratch(std::size_t size_bytes)
        : size_bytes_(size_bytes),
          own_(call_scope::innermost() == nullptr ? allocate(size_bytes) : nullptr) {}

    [[nodiscard]] bool is_none() const { return size_bytes_ == 0; }

    /// What was prepared within a call is valid only within one, and the same throughout it.
    /// @throws carat::error(out_of_memory).
    [[nodiscard]] void* get() const {
        if (is_none() || own_ != nullptr) return own_.get();
        return call_scope::innermost()->lend(this, size_bytes_);
    }

  private:
    std::size_t size_bytes_ = 0;
    device_memory own_;
};

/// The same, all 0 whenever a kernel begins: each leaves it so. Once it is there, nothing is
/// cleared.
class zeros {
  public:
    /// None.
    zeros() = default;
    /// @throws carat::error(out_of_memory).
    explicit zeros(std::size_t size_bytes) : size_bytes_(size_bytes) {
        if (call_scope::innermost() != nullptr) return;
        own_ = allocate(size_bytes);
        CARAT_CUDA_CHECK(cudaMemsetAsync(own_.get(), 0, size_bytes, stream_in_use()));
    }

    /// @throws carat::error(out_of_memory).
    [[nodiscard]] void* get() const {
        if (own_ != nullptr) return own_.get();
        return call_scope::innermost()->lend_zeros(this, size_bytes_);
    }

  private:
    std::size_t size_bytes_ = 0;
    device_memory own_;
};

}  // namespace carat::cuda
