// Kernels that keep one unit of every SM busy, on operands in registers or shared memory, and one
// that reads memory. Each unit states what it computes, so that it can be checked before it is
// timed.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include <carat/types.hpp>

namespace carat::gpu {

// The operation that is repeated on C (m x n, row-major). A and B hold elements of the operand's
// type, C of the sum's.
enum class arithmetic : std::uint8_t {
    multiply_add,  // C(i, j) = C(i, j) A(j) + B(j), at first B(j) + i
    product,       // C += A (m x k) B (n x k)^T, both row by row; C is 0 at first
};

struct launch {
    const void* a;
    const void* b;
    void* c;    // written by the first block only
    int steps;  // not 0
    unsigned blocks;
    cudaStream_t stream;
};

struct unit_kernel {
    const char* unit;
    dtype operand;
    dtype sum;
    int least_capability = 0;  // of a device; its code may still be missing from the build
    int most_capability = 999;
    arithmetic form;
    int m;
    int n;
    int k = 1;
    int times = 1;    // in one step
    int copies = 1;   // of C in a block, each computed by other warps
    int blocks_each;  // on a multiprocessor, resident at once
    void (*start)(const launch&);
};

// The multiplications and additions of a CTA's step, one each.
[[nodiscard]] constexpr double operations_per_step(const unit_kernel& u) {
    return 2.0 * u.m * u.n * u.k * u.times * u.copies;
}

// The units of each file.
[[nodiscard]] std::vector<unit_kernel> fma_kernels();
[[nodiscard]] std::vector<unit_kernel> mma_kernels();
[[nodiscard]] std::vector<unit_kernel> wgmma_kernels();

// Reads `words` words of 16 bytes `passes` times, from L2 or beyond but never from L1, and combines
// all of them by exclusive or into *combined.
void start_reading(const void* data, std::int64_t words, int passes, std::uint32_t* combined,
                   unsigned blocks, cudaStream_t stream);

}  // namespace carat::gpu
