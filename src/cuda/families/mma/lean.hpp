// What a lean kernel is told (lean.cuh), in the order in which it reads it.
#pragma once

#include <cstdint>

namespace carat::cuda::mma {

struct lean_operand {
    const void* data;
    std::int64_t product_stride;  // elements
    int run_stride;
};

struct lean_arguments {
    lean_operand a;
    lean_operand b;
    int m;
    int n;
    int k;
    float alpha;
    void* c;
    std::int64_t c_product_stride;
    int c_row_stride;
    bool is_vectorized;  // rows of C begin and end at multiples of 16 bytes
};

}  // namespace carat::cuda::mma
