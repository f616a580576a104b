// The row of kernels with dot products, compiled once for each vector width.
#include "cpu/kernels/dot/micro_kernel.hpp"
#include "cpu/kernels/panels/kernel_set.hpp"

namespace carat::cpu_engine::CARAT_ISA {

namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;

#if defined(__AVX512F__)
#define CARAT_DOT_TILE "_dot_11x32"
constexpr std::int64_t least_k = 0;
constexpr matrix_unit_kernel of_bf16 =
    make_matrix_unit_kernel<bf16>("gemm_bf16" CARAT_DOT_TILE, &multiply<unit<bf16, bf16>>);
#elif defined(__AVX2__)
#define CARAT_DOT_TILE "_dot_6x16"
constexpr std::int64_t least_k = 32;
constexpr matrix_unit_kernel of_bf16 = {};
#else
#define CARAT_DOT_TILE "_dot_8x8"
constexpr std::int64_t least_k = 32;
constexpr matrix_unit_kernel of_bf16 = {};
#endif

void acquire(tile_state&) {}

void give_back(const tile_state&) {
    finish_streams();
}

}  // namespace

extern const matrix_unit_set kernels;
constinit const matrix_unit_set kernels = {
    .bf16 = of_bf16,
    .i8 = make_matrix_unit_kernel<i8>("gemm_i8" CARAT_DOT_TILE, &multiply<unit<i8, i8>>),
    .u8 = make_matrix_unit_kernel<i8>("gemm_u8" CARAT_DOT_TILE, &multiply<unit<u8, u8>>),
    .u8_i8 = make_matrix_unit_kernel<i8>("gemm_u8_i8" CARAT_DOT_TILE, &multiply<unit<u8, i8>>),
    .i8_u8 = make_matrix_unit_kernel<i8>("gemm_i8_u8" CARAT_DOT_TILE, &multiply<unit<i8, u8>>),
    .store = all_stores,
    .acquire = &acquire,
    .give_back = &give_back,
    .least_k = least_k};

}  // namespace carat::cpu_engine::CARAT_ISA
