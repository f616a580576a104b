// The row of kernels with matrix instructions. Those of bf16 are a feature of their own, so the
// table leaves them out where the processor lacks it.
#include "cpu/kernels/arm/matrix/micro_kernel.hpp"
#include "cpu/kernels/panels/kernel_set.hpp"

namespace carat::cpu_engine::CARAT_ISA {

namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;

void acquire(tile_state&) {}
void give_back(const tile_state&) {}

template <class A, class B>
constexpr matrix_unit_kernel made(std::string_view name) {
    using element = std::conditional_t<sizeof(A) == 1, i8, A>;
    matrix_unit_kernel one = make_matrix_unit_kernel<element>(name, &multiply<matrix_unit<A, B>>);
    one.pack_b = &pack_octets<element>;
    return one;
}

}  // namespace

extern const matrix_unit_set kernels;
constinit const matrix_unit_set kernels = {.bf16 = made<bf16, bf16>("gemm_bf16_mmla_8x8"),
                                           .i8 = made<i8, i8>("gemm_i8_mmla_8x8"),
                                           .u8 = made<u8, u8>("gemm_u8_mmla_8x8"),
                                           .u8_i8 = made<u8, i8>("gemm_u8_i8_mmla_8x8"),
                                           .i8_u8 = made<i8, u8>("gemm_i8_u8_mmla_8x8"),
                                           .store = all_stores,
                                           .acquire = &acquire,
                                           .give_back = &give_back,
                                           .least_k = 32};

}  // namespace carat::cpu_engine::CARAT_ISA
