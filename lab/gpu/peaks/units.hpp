// A unit's kernel with operands of its own on the GPU in use.
#pragma once

#include "lab/gpu/peaks/kernels.hpp"
#include "lab/space/execution_space.hpp"
#include "lab/workload/workload.hpp"

namespace carat::gpu {

class loaded_unit {
  public:
    /// A and B with elements of the two distributions.
    loaded_unit(const unit_kernel& unit, space::execution_space& space,
                const workload::distribution& a, const workload::distribution& b);

    /// Starts `blocks` CTAs, each with its own C; that of the first is written to memory.
    void start(std::int64_t steps, unsigned blocks) const;

    /// Whether C is what the unit's arithmetic gives after this many steps. Elements must be small
    /// whole numbers, so that every sum is exact.
    [[nodiscard]] bool right(std::int64_t steps) const;

  private:
    [[nodiscard]] std::int64_t depth() const;
    [[nodiscard]] std::int64_t a_rows() const;
    [[nodiscard]] std::int64_t b_rows() const;
    [[nodiscard]] double expected(std::int64_t i, std::int64_t j, std::int64_t steps) const;

    unit_kernel unit_;
    space::execution_space* space_;
    workload::distribution a_values_;
    workload::distribution b_values_;
    space::buffer a_;
    space::buffer b_;
    space::buffer c_;
};

/// The units of this compute capability that this build can keep busy with right results.
[[nodiscard]] std::vector<unit_kernel> working_units(int capability, space::execution_space& space);

/// The unit on random data, as a peak is measured.
[[nodiscard]] loaded_unit loaded_with_random_data(const unit_kernel& unit,
                                                  space::execution_space& space);

/// The unit on constant data, which take the least power of all numbers except 0.
[[nodiscard]] loaded_unit loaded_with_ones(const unit_kernel& unit, space::execution_space& space);

}  // namespace carat::gpu
