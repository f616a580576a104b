// What a kernel of this room is told about one product, and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace carat::cuda::sm90 {

enum class output : std::uint8_t { f32, f16, bf16, i32 };

// C, in elements.
struct target {
    void* data;
    std::int64_t row_stride;
    std::int64_t col_stride;
    output type;
    bool in_boxes;  // C is not read, and the copy engine can write it
};

// C = alpha A B + beta C. Sums of integers wrap, and so do their factors: 32 bits, unsigned.
template <class Factor>
struct arguments {
    target c;
    int m;
    int n;
    int k_tiles;
    int tiles_m;  // of the cluster: its blocks lie below each other
    int tiles_n;
    Factor alpha;
    Factor beta;
};

// One kernel, for the host. `launch` starts it on `blocks` blocks, a multiple of `cluster`.
template <class Factor>
struct kernel {
    const char* name;
    const void* function;
    int tile_m;
    int tile_n;
    int cluster;
    int threads;
    int shared_bytes;
    void (*launch)(const CUtensorMap& a, const CUtensorMap& b, const CUtensorMap& c,
                   const arguments<Factor>& with, int blocks, cudaStream_t stream);
};

}  // namespace carat::cuda::sm90
