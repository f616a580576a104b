// The row of AMX kernels.
#include "cpu/kernels/amx/multiply.hpp"
#include "cpu/kernels/amx/pack.hpp"
#include "cpu/kernels/amx/store.hpp"

namespace carat::cpu_engine::amx {

namespace {

// All 8 tile registers are 16 lines of 64 bytes, always: edges are zeros.
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

// Bytes are packed alike, signed or not.
template <class A, class B>
constexpr tile_kernel make_kernel(std::string_view name) {
    using E = std::conditional_t<sizeof(A) == 1, std::int8_t, A>;
    return {.name = name,
            .element_bytes = sizeof(E),
            .pack_a = &pack_tiles<E, false>,
            .pack_b = &pack_tiles<E, true>,
            .multiply = &multiply<A, B>,
            .store = &store<typename sums_of<E>::type>,
            .store_bf16 = sizeof(E) == 2 ? &store_narrow_tile : nullptr};
}

}  // namespace

extern const tile_set tiles;
constinit const tile_set tiles = {
    .bf16 = make_kernel<bf16, bf16>("gemm_bf16_amx_32x32"),
    .i8 = make_kernel<std::int8_t, std::int8_t>("gemm_i8_amx_32x32"),
    .u8 = make_kernel<std::uint8_t, std::uint8_t>("gemm_u8_amx_32x32"),
    .u8_i8 = make_kernel<std::uint8_t, std::int8_t>("gemm_u8_i8_amx_32x32"),
    .i8_u8 = make_kernel<std::int8_t, std::uint8_t>("gemm_i8_u8_amx_32x32"),
    .acquire = &acquire,
    .give_back = &give_back};

}  // namespace carat::cpu_engine::amx
