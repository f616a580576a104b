// What steps 21 and 22 share: operands that a kernel of step 21 turns before another multiplies
// them.
#pragma once

#include <memory>

#include "cuda/common/device.hpp"
#include "lab/rows/implementation.hpp"
#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

// to(i, j) = from(i, j), on the stream in use; step 21 has it, for float and double.
template <class T>
void turn(const matrix<const T>& from, const matrix<T>& to);
template <class T>
[[nodiscard]] core::kernel_facts turn_facts();

// The product by `then`, from copies of A and B in which the elements of a column of A, and of a
// row of B, lie side by side; an operand that lies so already is not copied.
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_turned(const rows::implementation& then,
                                                             const core::problem& p,
                                                             const core::settings& s);

// A row that turns operands for `Then`.
template <const rows::implementation& Then>
[[nodiscard]] constexpr rows::implementation turned_row(
    std::string_view name, std::string_view summary, std::span<const core::signature> signatures) {
    return {.name = name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = signatures,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported = [](const core::problem& p,
                              const core::settings& s) { return Then.unsupported(p, s); },
            .prepare = [](const core::problem& p,
                          const core::settings& s) { return prepare_turned(Then, p, s); }};
}

}  // namespace carat::ladder::cuda
