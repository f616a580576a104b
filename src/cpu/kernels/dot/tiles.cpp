// The row of kernels on dot products.
#include "cpu/kernels/dot/multiply.hpp"
#include "cpu/kernels/tiles/tile_set.hpp"

namespace carat::cpu_engine::CARAT_ISA {

namespace {

void acquire(tile_state&) {}

void give_back(const tile_state&) {
    _mm_sfence();  // what was written past the caches is there before anything that follows
}

}  // namespace

extern const tile_set tiles;
constinit const tile_set tiles = {
    .bf16 = make_tile_kernel<bf16>("gemm_bf16_dot_11x32", &multiply<bf16, bf16>),
    .i8 = make_tile_kernel<std::int8_t>("gemm_i8_dot_11x32", &multiply<std::int8_t, std::int8_t>),
    .u8 = make_tile_kernel<std::int8_t>("gemm_u8_dot_11x32", &multiply<std::uint8_t, std::uint8_t>),
    .u8_i8 =
        make_tile_kernel<std::int8_t>("gemm_u8_i8_dot_11x32", &multiply<std::uint8_t, std::int8_t>),
    .i8_u8 =
        make_tile_kernel<std::int8_t>("gemm_i8_u8_dot_11x32", &multiply<std::int8_t, std::uint8_t>),
    .acquire = &acquire,
    .give_back = &give_back};

}  // namespace carat::cpu_engine::CARAT_ISA
