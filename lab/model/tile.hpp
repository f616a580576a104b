// The demands of a tile on a memory and what it gains: its working set, the level that holds it,
// how often each element is used there, and operations for each byte moved.
#pragma once

#include "lab/model/schedule.hpp"

namespace carat::model {

struct element_bytes {
    double ab = 8;  // of A and B
    double c = 8;
};

/// 2 m n k.
[[nodiscard]] double operations(const sizes& all);

/// Tiles of A, B and C together; the whole matrices for an untiled schedule.
[[nodiscard]] double working_set_bytes(const schedule& s, const sizes& all, element_bytes each);

// Uses of an element in one tile product: T for a tile of T x T, not N / T.
struct reuse {
    double a = 1, b = 1, c = 1;
};
[[nodiscard]] reuse reuse_of(const schedule& s, const sizes& all);

/// Operations per byte when A and B are read once, C is read and written once: no algorithm that
/// adds to C does better.
[[nodiscard]] double ideal_intensity(const sizes& all, element_bytes each);

/// Operations per byte beyond a memory that keeps just what the schedule means to keep: nothing
/// (ijk), an element of A and a row of C (ikj), three tiles.
[[nodiscard]] double intensity(const schedule& s, const sizes& all, element_bytes each);

}  // namespace carat::model
