// Batches whose matrices are parts of one, which an array of ends shares out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trials.hpp"

namespace carat::fuzz {

// Rows of A, C and E; columns of B, C and E; or K.
enum class shared_out { rows, columns, depth };

// What a call is told of that, beside its case.
struct sharing {
    shared_out what = shared_out::rows;
    std::size_t products = 1;
    std::size_t lines = 0;                // that there are to share out
    std::vector<std::int32_t> ends;       // of each product
    const std::int32_t* told = nullptr;   // where the call finds them
    std::array<matrix_place, 4> whole{};  // A, B, E and C before they were cut
};

// Whether the case, of one product, can be made one of several that share out its matrices.
[[nodiscard]] bool can_be_shared_out(const product_case& c);

// Makes a case of one product the same of several, and lays out its matrices, whole.
[[nodiscard]] sharing lay_out_shared(const running& r);

// Ends in their order; on a GPU some that can't be.
void draw_ends(random_numbers& random, bool on_gpu, sharing& s);

// Cuts the matrices, which have their places, by the ends, as the oracle wants them.
void cut_by_ends(const running& r, const sharing& s);

// On a CPU; ends that can't be are refused.
[[nodiscard]] std::string try_shared_out_on_cpu(const running& r);

}  // namespace carat::fuzz
