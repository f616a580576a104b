// Matrices that the GPU fills and checks itself, too large for the host's oracle: whole numbers
// from -3 to 3, computed from their indices, so that sums are exact and need no copy.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include <carat/types.hpp>

namespace carat::fuzz {

// A batch of matrices in a stretch of memory that otherwise holds canaries. Elements of a line are
// adjacent, lines are `ld` apart, matrices `apart`.
struct large_matrices {
    void* data = nullptr;  // of the stretch
    dtype type = dtype::f32;
    std::uint64_t size = 0;    // elements of the stretch
    std::uint64_t offset = 0;  // of the first matrix
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::uint64_t ld = 0;
    std::uint64_t apart = 0;
    std::uint64_t count = 0;  // 1 where all products share it
    std::uint32_t salt = 0;   // of its numbers
    bool by_rows = true;
    bool is_blank = false;  // elements are canaries, too
};

struct large_sums {
    std::uint64_t k = 0;
    std::int32_t alpha = 1;
    std::int32_t beta = 0;
    bool has_epilogue = false;  // a bias by columns, then relu
    std::uint32_t bias_salt = 0;
};

struct large_verdict {
    unsigned long long wrong = 0;
    unsigned long long first = ~0ull;  // element of the stretch
};

// Loads the code of all of them while there is memory.
bool load_large_kernels();

void fill_large(const large_matrices& m, cudaStream_t stream);
// The f32 numbers of a bias.
void fill_bias(float* to, std::uint64_t count, std::uint32_t salt, cudaStream_t stream);
// Counts what is not as fill_large() left it.
void check_large(const large_matrices& m, large_verdict* to, cudaStream_t stream);
// The same for C after the call; `e` is what beta multiplies.
void check_large_c(const large_matrices& c, const large_matrices& a, const large_matrices& b,
                   const large_matrices& e, const large_sums& how, large_verdict* to,
                   cudaStream_t stream);
// Flips the last bit of an element or a canary.
void spoil_large(const large_matrices& m, std::uint64_t element, cudaStream_t stream);

}  // namespace carat::fuzz
