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
                                          const launch_arguments& with, const batch_strides& apart);

/// So many products. False: a grid has no such number of tiles.
template <class Sum>
bool launch(const chosen_kernel& by, const arguments<Sum>& told, std::int64_t count,
            cudaStream_t stream);

/// Products that share out the rows of A, or of B where they are swapped, or K. False likewise.
template <class Sum>
[[nodiscard]] bool launch_ragged(const chosen_kernel& by, arguments<Sum> told,
                                 const ragged_group& all, bool swapped, cudaStream_t stream);

}  // namespace carat::cuda::mma
