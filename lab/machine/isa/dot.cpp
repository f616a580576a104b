// Units for narrow types: dot products within a lane (bf16 pairs into f32, 8-bit quadruples into
// i32), f16 arithmetic, AMX tiles, and Arm's products of small matrices. Each needs a CPU feature
// beyond its level and is called only where the CPU reports it. Instructions are written as such:
// GCC 12 compiles the intrinsics for some of them with a copy and a store for each (measured: 434
// instead of 1080 GOP/s on Zen 5).
#include "lab/machine/isa/vector_shape.hpp"
#include "lab/machine/kernels.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace carat::machine::CARAT_ISA {

#if defined(__AVX2__) || defined(__aarch64__)
namespace {

using vector [[gnu::vector_size(vector_bytes), gnu::may_alias]] = float;

// Step returns the next accumulator from (accumulator, x, y). All are passed by value: an
// accumulator whose address is taken would be in memory.
template <class Step>
void run_chains(std::int64_t steps, void* state) {
    auto* memory = static_cast<vector*>(state);
    const vector x = memory[0];
    const vector y = memory[1];
    vector c[chains];
    for (int i = 0; i < chains; ++i) c[i] = memory[2 + i];
    for (; steps > 0; --steps) {
#pragma GCC unroll 24
        for (vector& chain : c) chain = Step{}(chain, x, y);
    }
    for (int i = 0; i < chains; ++i) memory[2 + i] = c[i];
}

#if defined(__AVX512F__)

struct dot_i8 {
    vector operator()(vector c, vector x, vector y) const {
        asm("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(x), "v"(y));
        return c;
    }
};

struct dot_bf16 {
    vector operator()(vector c, vector x, vector y) const {
        asm("vdpbf16ps %2, %1, %0" : "+v"(c) : "v"(x), "v"(y));
        return c;
    }
};

struct fma_f16 {
    vector operator()(vector c, vector x, vector y) const {
        asm("vfmadd213ph %2, %1, %0" : "+v"(c) : "v"(x), "v"(y));
        return c;
    }
};

// 16 rows of 64 bytes in each of the 8 tile registers.
struct alignas(64) tile_configuration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Tiles 0 and 1 are the operands, 2 to 7 the accumulators: six are in flight, four would do (a
// product takes 16 cycles of the unit, and its result is ready after 52). Instructions name their
// tile registers, so this cannot be a loop over an array.
template <class Step>
[[gnu::target("amx-tile")]] void run_tiles(std::int64_t steps, void* state) {
    const tile_configuration configuration;
    auto* memory = static_cast<char*>(state);
    _tile_loadconfig(&configuration);
    _tile_loadd(0, memory, 64);
    _tile_loadd(1, memory + 1024, 64);
    _tile_loadd(2, memory + 2048, 64);
    _tile_loadd(3, memory + 3072, 64);
    _tile_loadd(4, memory + 4096, 64);
    _tile_loadd(5, memory + 5120, 64);
    _tile_loadd(6, memory + 6144, 64);
    _tile_loadd(7, memory + 7168, 64);
    for (; steps > 0; --steps) Step{}();
    _tile_stored(2, memory + 2048, 64);
    _tile_stored(3, memory + 3072, 64);
    _tile_stored(4, memory + 4096, 64);
    _tile_stored(5, memory + 5120, 64);
    _tile_stored(6, memory + 6144, 64);
    _tile_stored(7, memory + 7168, 64);
    _tile_release();
}

#define CARAT_TILE_STEP(instruction)                                                           \
    asm volatile(instruction                                                                   \
                 " %tmm1, %tmm0, %tmm2\n\t" instruction " %tmm1, %tmm0, %tmm3\n\t" instruction \
                 " %tmm1, %tmm0, %tmm4\n\t" instruction " %tmm1, %tmm0, %tmm5\n\t" instruction \
                 " %tmm1, %tmm0, %tmm6\n\t" instruction " %tmm1, %tmm0, %tmm7")

struct tile_i8 {
    void operator()() const { CARAT_TILE_STEP("tdpbssd"); }
};

struct tile_bf16 {
    void operator()() const { CARAT_TILE_STEP("tdpbf16ps"); }
};

constexpr compute_kernel table[] = {
    {"avx512 fp16 fma", "avx512_fp16", arithmetic::multiply_add, dtype::f16, dtype::f16, 32, chains,
     1, 64, run_chains<fma_f16>},
    {"avx512 bf16 dot", "avx512_bf16", arithmetic::dot, dtype::bf16, dtype::f32, 16, chains, 2, 64,
     run_chains<dot_bf16>},
    {"avx512 vnni dot", "avx512_vnni", arithmetic::dot, dtype::i8, dtype::i32, 16, chains, 4, 64,
     run_chains<dot_i8>},
    {"amx bf16 tile", "amx_bf16", arithmetic::tile, dtype::bf16, dtype::f32, 256, 6, 2, 1024,
     run_tiles<tile_bf16>},
    {"amx int8 tile", "amx_int8", arithmetic::tile, dtype::i8, dtype::i32, 256, 6, 4, 1024,
     run_tiles<tile_i8>},
};

#elif defined(__aarch64__)

#define CARAT_NEON_STEP(name, instruction, sums, elements)                \
    struct name {                                                         \
        vector operator()(vector c, vector x, vector y) const {           \
            asm(instruction " %0." sums ", %1." elements ", %2." elements \
                : "+w"(c)                                                 \
                : "w"(x), "w"(y));                                        \
            return c;                                                     \
        }                                                                 \
    }
CARAT_NEON_STEP(fma_f16, "fmla", "8h", "8h");
CARAT_NEON_STEP(dot_i8, "sdot", "4s", "16b");
CARAT_NEON_STEP(matrix_i8, "smmla", "4s", "16b");
CARAT_NEON_STEP(matrix_bf16, "bfmmla", "4s", "8h");
#undef CARAT_NEON_STEP

constexpr compute_kernel table[] = {
    {"neon fp16 fma", "asimdhp", arithmetic::dot, dtype::f16, dtype::f16, 8, chains, 1, 16,
     run_chains<fma_f16>},
    {"neon int8 dot", "asimddp", arithmetic::dot, dtype::i8, dtype::i32, 4, chains, 4, 16,
     run_chains<dot_i8>},
    {"neon int8 matrix", "i8mm", arithmetic::matrix, dtype::i8, dtype::i32, 4, chains, 8, 16,
     run_chains<matrix_i8>},
    {"neon bf16 matrix", "bf16", arithmetic::matrix, dtype::bf16, dtype::f32, 4, chains, 4, 16,
     run_chains<matrix_bf16>},
};

#else

struct dot_i8 {
    vector operator()(vector c, vector x, vector y) const {
        asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(c) : "x"(x), "x"(y));
        return c;
    }
};

constexpr compute_kernel table[] = {{"avx2 vnni dot", "avx_vnni", arithmetic::dot, dtype::i8,
                                     dtype::i32, 8, chains, 4, 32, run_chains<dot_i8>}};

#endif

}  // namespace

constinit const std::span<const compute_kernel> dot_kernels = table;

#else

constinit const std::span<const compute_kernel> dot_kernels = {};

#endif

}  // namespace carat::machine::CARAT_ISA
