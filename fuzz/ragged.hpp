// Batches whose matrices are parts of one matrix, divided by an array of ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trials.hpp"

namespace carat::fuzz {

// Rows of A, C and E; columns of B, C and E; or K.
enum class shared_out { rows, columns, depth };

// The additional arguments of such a call.
struct sharing {
    shared_out what = shared_out::rows;
    std::size_t products = 1;
    std::size_t lines = 0;                // that there are to share out
    std::vector<std::int32_t> ends;       // of each product
    const std::int32_t* told = nullptr;   // where the call finds them
    std::array<matrix_place, 4> whole{};  // A, B, E and C before they were cut
};

// Whether a case of one product can become several that divide its matrices.
[[nodiscard]] bool can_be_shared_out(const product_case& c);

// Turns a case of one product into several, and lays out its whole matrices.
[[nodiscard]] sharing lay_out_shared(const running& r);

// Draws the ends in order; on a GPU some are impossible.
void draw_ends(random_numbers& random, bool on_gpu, sharing& s);

// Divides the placed matrices by the ends, for the oracle.
void cut_by_ends(const running& r, const sharing& s);

// Runs the case on a CPU, which refuses impossible ends.
[[nodiscard]] std::string try_shared_out_on_cpu(const running& r);

}  // namespace carat::fuzz
