// What a kernel is told of a product, and its start.
#pragma once

#include "cuda/common/gemm.hpp"
#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

/// A kernel as one product uses it.
struct chosen_kernel {
    const kernel* of = nullptr;
    int stages = 0;  // of a pipeline whose length the host chooses
    int shared_bytes = 0;
};

/// `p` is multiplied as it says: operands that were swapped are swapped in all arguments.
template <class Sum>
[[nodiscard]] arguments<Sum> arguments_of(const core::problem& p, const chosen_kernel& by,
                                          const bindings& with);

/// Starts the products of a set, which are not listed. False: a grid has no such number of tiles.
template <class Sum>
[[nodiscard]] bool launch_all(const chosen_kernel& by, const arguments<Sum>& told,
                              const core::product_set& products, const bindings& with,
                              bool swapped);

}  // namespace carat::cuda::mma
