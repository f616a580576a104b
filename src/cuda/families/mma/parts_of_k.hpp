// Split-K: CTAs share the K of a tile. Kernels see parts of K as products that have a C of their
// own, in memory, of sums row by row; another kernel adds those up and stores the product's C.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/facts.hpp"
#include "core/problem.hpp"
#include "cuda/common/gemm.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

class parts_of_k {
  public:
    /// All of K in one part.
    parts_of_k() = default;
    /// @throws carat::error(out_of_memory).
    parts_of_k(int count, const core::problem& p, std::int64_t products);

    [[nodiscard]] int count() const { return count_; }
    /// The end of a line that describes the plan.
    [[nodiscard]] std::string words() const {
        return count_ == 1 ? "\n" : ", K in " + std::to_string(count_) + " parts\n";
    }
    void add_kernels(std::vector<core::kernel_facts>& to) const {
        if (count_ > 1) to.push_back(facts_);
    }

    /// `told` of the whole products as the kernel is told that multiplies their parts.
    template <class Sum>
    [[nodiscard]] arguments<Sum> of(arguments<Sum> told) const;
    /// Starts what adds up the sums that such a kernel leaves.
    template <class Sum>
    void add_up(arguments<Sum> told, CUstream_st* stream) const;

    /// The kernel that adds up.
    struct adder {
        const char* name = nullptr;
        const void* function = nullptr;
        int threads = 0;
        int block_m = 0;
        int block_n = 0;
    };

  private:
    [[nodiscard]] static adder adder_for(dtype a_type);

    int count_ = 1;
    std::int64_t products_ = 0;
    int row_stride_ = 0;  // of sums, whose rows begin at multiples of 16 bytes
    adder adder_;
    core::kernel_facts facts_;
    scratch sums_;
};

}  // namespace carat::cuda::mma
