// How a call on a GPU is multiplied: the engine's choice among the plans of all families. A family
// makes the call ready by it, kept plans are told apart by it, and `explain` prints it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carat::plan {

struct gpu_plan {
    std::string_view family = {};  // a row of the registry (src/cuda/engine/families.cpp)
    std::size_t row = 0;           // of its table of kernels
    std::string_view schedule = {};
    int block_m = 0;  // its tile of C
    int block_n = 0;
    bool swap_ab = false;  // C^T = B^T A^T
    int split_k = 1;       // parts of K
    int cluster_k = 1;     // CTAs of a cluster that have a part each
    int cluster_m = 1;     // that have tiles below each other, and B in common
    int cluster_n = 1;     // beside each other, and A in common
    int ctas_per_sm = 1;
    bool packs_a = false;
    bool packs_b = false;
    bool one_by_one = false;  // a launch for each product of a batch takes less than one for all
    double seconds = 0;       // predicted, packing included
    std::string_view chosen_by = "from the model";

    bool operator==(const gpu_plan&) const = default;
};

/// "wgmma: tiles of 128 x 256, cooperative, A and B swapped, K in 2 parts".
[[nodiscard]] std::string text_of(const gpu_plan& plan);

}  // namespace carat::plan
