// What CTAs need that share the K of their tiles: where each leaves its sums, and how many have.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/common/scratch.hpp"
#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

class parts_of_k {
  public:
    /// All of K in one part.
    parts_of_k() = default;
    /// @throws carat::error(out_of_memory).
    parts_of_k(int splits, std::int64_t tiles, const kernel& of, std::size_t sum_bytes)
        : splits_(splits) {
        if (splits == 1) return;
        const auto count = static_cast<std::size_t>(tiles);
        sums_ =
            scratch(count * static_cast<std::size_t>(splits * of.block_m * of.block_n) * sum_bytes);
        arrived_ = zeros(count * sizeof(std::uint32_t));
    }

    [[nodiscard]] int count() const { return splits_; }
    /// The end of a line that describes the plan.
    [[nodiscard]] std::string words() const {
        return splits_ == 1 ? "\n" : ", K in " + std::to_string(splits_) + " parts\n";
    }

    template <class Sum>
    void tell(arguments<Sum>& told) const {
        told.splits = splits_;
        if (splits_ == 1) return;
        told.partial_sums = sums_.get();
        told.arrived = static_cast<std::uint32_t*>(arrived_.get());
    }

  private:
    int splits_ = 1;
    scratch sums_;
    zeros arrived_;
};

}  // namespace carat::cuda::mma
