// Runs carat's products without holding the interpreter lock.
#pragma once

#include <carat/batch.hpp>
#include <carat/product.hpp>

#include "operand.hpp"
#include "options.hpp"

namespace carat::python {

// The GPU of both operands, or none. Throws ValueError if only one is on a GPU.
[[nodiscard]] std::optional<int> common_gpu(const operand& a, const operand& b);

// Releasing and taking the interpreter lock, 0.1 us, would be a noticeable part of a product with
// fewer multiplications.
inline constexpr double least_work_to_release = 65536;

template <class Multiply>
void run_released(double work, const Multiply& multiply) {
    if (work < least_work_to_release) return multiply();
    const nb::gil_scoped_release released;
    multiply();
}

void run_one(const keywords& asked, nb::handle like, std::optional<int> gpu,
             const detail::erased_matrix& a, const detail::erased_matrix& b,
             const detail::erased_matrix& c, const detail::epilogue_steps* steps);

void run_many(const keywords& asked, nb::handle like, std::optional<int> gpu, double work,
              const detail::erased_batch& a, const detail::erased_batch& b,
              const detail::erased_batch& c, const detail::epilogue_steps* steps);

}  // namespace carat::python
