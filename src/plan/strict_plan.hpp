// Which kernel of src/cuda/strict multiplies a product of f32 or f64, and how it is cut up: a cost
// model over the few ways there are, for an H200.
#pragma once

#include <cstdint>

namespace carat::plan {

struct strict_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    int element_bytes = 4;  // 4: f32, 8: f64
    int multiprocessors = 132;
    int tile_m = 0;  // asked for, the next larger one is taken, else the largest; 0: choose
    int tile_n = 0;
    int parts = 0;  // asked for, the next smaller number that can be is taken; 0: choose
};

struct strict_plan {
    int tile_m = 0;
    int tile_n = 0;
    int parts = 1;       // of K, each for a block of its own
    double seconds = 0;  // predicted for one product of many on a stream

    // Smaller than 128 x 128.
    [[nodiscard]] bool is_small() const { return tile_n < 128; }

    bool operator==(const strict_plan&) const = default;
};

/// For sizes of which none is 0.
[[nodiscard]] strict_plan make_strict_plan(const strict_request& wanted);

}  // namespace carat::plan
