// The row of AMX kernels.
#include "cpu/kernels/panels/kernel_set.hpp"
#include "cpu/kernels/x86/amx/micro_kernel.hpp"

namespace carat::cpu_engine::amx {

namespace {

// All 8 tile registers always have 16 lines of 64 bytes; edges are zeros.
struct alignas(64) tile_configuration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

void acquire(tile_state& before) {
    static constexpr tile_configuration ours;
    _tile_storeconfig(before.configuration);
    _tile_loadconfig(&ours);
}

void give_back(const tile_state& before) {
    _mm_sfence();  // what was written past the caches is there before anything that follows
    if (before.configuration[0] == std::byte{0}) return _tile_release();
    _tile_loadconfig(before.configuration);
}

}  // namespace

extern const matrix_unit_set kernels;
constinit const matrix_unit_set kernels = {
    .bf16 = make_matrix_unit_kernel<bf16>("gemm_bf16_amx_32x32", &multiply<bf16, bf16>),
    .i8 = make_matrix_unit_kernel<std::int8_t>("gemm_i8_amx_32x32",
                                               &multiply<std::int8_t, std::int8_t>),
    .u8 = make_matrix_unit_kernel<std::int8_t>("gemm_u8_amx_32x32",
                                               &multiply<std::uint8_t, std::uint8_t>),
    .u8_i8 = make_matrix_unit_kernel<std::int8_t>("gemm_u8_i8_amx_32x32",
                                                  &multiply<std::uint8_t, std::int8_t>),
    .i8_u8 = make_matrix_unit_kernel<std::int8_t>("gemm_i8_u8_amx_32x32",
                                                  &multiply<std::int8_t, std::uint8_t>),
    .store = all_stores,
    .acquire = &acquire,
    .give_back = &give_back};

}  // namespace carat::cpu_engine::amx
