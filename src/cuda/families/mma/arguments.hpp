// What a kernel is told about a batch, and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "core/block_scales.hpp"
#include "cuda/common/epilogue_fusion.hpp"
#include "cuda/common/ragged.hpp"

namespace carat::cuda::mma {

// How an operand's runs lie, as a kernel was compiled.
enum class lies : std::uint8_t { along_k, across_k };

// A as its rows, B as its columns: runs of neighbours in memory, along K or across it.
struct operand_view {
    const void* data;
    std::int64_t run_stride;      // elements from one run to the next
    std::int64_t product_stride;  // 0: one matrix for all
    bool along_k;
    // Elements that are copied at once, of which runs begin at multiples: those of 16 bytes, of
    // 16-bit elements also of 8 or 4; 1: runs begin anywhere.
    int together;
};

// The dimension that products share out, each all of the others.
enum class ragged_dimension : std::uint8_t { none, m, n, k };

// C = fusion(alpha A B) + beta source, for each product.
template <class Sum>
struct arguments {
    operand_view a;
    operand_view b;
    void* c;
    const void* source;  // C itself, or a matrix laid out as C
    std::int64_t row_stride;
    std::int64_t col_stride;
    std::int64_t product_stride;  // of C and source
    epilogue_fusion fusion;
    core::block_scales scales;
    bool is_fused;       // the fusion changes sums
    bool is_wide;        // C is of the sums' type, else of the narrow one of the kernel
    bool is_vectorized;  // runs of C are contiguous and begin at multiples of 16 bytes
    bool by_rows;        // those runs are parts of rows
    int stages;          // of a multistage kernel
    int splits;          // parts of K, each with a C of its own (parts_of_k.hpp)
    int m;
    int n;
    int k;
    int tiles_m;
    int tiles;  // of a product, or of a block of the rows or columns that they share out
    ragged_dimension shared_out;
    ragged_ends ragged;
    Sum alpha;
    Sum beta;
};

// One kernel, for the host.
struct kernel {
    const char* name;
    const void* function;
    int block_m;
    int block_n;
    int threads;
    int shared_bytes;  // of a multistage kernel the least
    int stage_bytes;
    int ctas_per_sm;
};

}  // namespace carat::cuda::mma
