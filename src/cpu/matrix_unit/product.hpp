// A prepared product on a matrix unit, which cpu_engine::product uses if its kernels have one for
// the types.
#pragma once

#include <string>

#include "core/facts.hpp"
#include "core/problem.hpp"
#include "cpu/kernels/epilogue.hpp"
#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/micro_kernel.hpp"
#include "cpu/prepared.hpp"
#include "plan/matrix_unit_plan.hpp"

namespace carat::cpu_engine {

struct matrix_unit_task;

// Whether there is a matrix unit for these types and it pays. A prepared operand is packed for it.
[[nodiscard]] bool takes_matrix_unit(const core::problem& p, const kernel_set& with, bool prepared);

class matrix_unit_product {
  public:
    // Neither allocates nor fails.
    matrix_unit_product(const core::problem& p, int threads, const matrix_unit_set& with,
                        const plan::blocking& wanted,
                        const detail::prepared_operand* ready = nullptr);

    [[nodiscard]] std::size_t workspace_bytes() const;
    // `memory` starts on a cache line. K > 0. `epilogue` is everything to be done with the f32
    // sums, or null.
    void run(const core::operands& data, std::byte* memory,
             const epilogue_call<float>* epilogue) const noexcept;
    // Whether runs of sums, which are contiguous in rows, are parts of columns of C.
    [[nodiscard]] bool swapped() const { return swapped_; }
    [[nodiscard]] int threads() const { return plan_.threads(); }
    [[nodiscard]] std::string explain() const;
    [[nodiscard]] core::plan_facts facts() const;

  private:
    [[nodiscard]] plan::matrix_unit_shape shape() const;
    [[nodiscard]] std::size_t thread_bytes() const;
    [[nodiscard]] std::size_t shared_bytes() const;
    void pack_together(matrix_unit_task& whole, std::byte* memory) const;

    const detail::prepared_operand* ready_;
    bool turns_by_rows_;  // as the product would without it
    bool swapped_;        // A and B have changed places
    core::problem problem_;
    const matrix_unit_set* set_;
    const matrix_unit_kernel* kernel_;
    plan::request request_;
    plan::matrix_unit_plan plan_;
};

}  // namespace carat::cpu_engine
