// The micro-kernels of x86-64.
#include <string>

#include "cpu/kernels/f16_summing.hpp"

#if defined(__x86_64__)

namespace carat::cpu_engine {

namespace baseline {
extern const kernel_set kernels;
}
namespace avx2 {
extern const kernel_set kernels;
}
namespace avx512 {
extern const kernel_set kernels;
}
namespace dot256 {
extern const matrix_unit_set kernels;
}
namespace dot {
extern const matrix_unit_set kernels;
}
namespace amx {
extern const matrix_unit_set kernels;
}

namespace {

// The part of VNNI that exists without AVX-512.
const kernel_set& avx2_kernels() {
    static const kernel_set made = [] {
        kernel_set set = avx2::kernels;
        if (core::has_short_byte_dot_products()) set.matrix_unit = &dot256::kernels;
        return set;
    }();
    return made;
}

// VNNI came later than AVX-512, and its bf16 products later still. These run at half the rate of
// f32 on processors with a matrix unit (Sapphire Rapids: 106 and 213 GFLOP/s), elsewhere at twice
// it.
const kernel_set& avx512_kernels() {
    static const matrix_unit_set units = [] {
        matrix_unit_set set = dot::kernels;
        if (core::has_amx() || !core::has_bf16_dot_products()) set.bf16 = {};
        return set;
    }();
    static const kernel_set made = [] {
        kernel_set set = avx512::kernels;
        if (core::has_byte_dot_products()) set.matrix_unit = &units;
        return set;
    }();
    return made;
}

// A matrix unit extends the vectors of AVX-512.
const kernel_set& amx_kernels() {
    static const kernel_set made = [] {
        kernel_set set = avx512::kernels;
        set.level = core::isa::amx;
        set.matrix_unit = &amx::kernels;
        return set;
    }();
    return made;
}

}  // namespace

std::span<const kernel_set* const> kernel_sets() {
    static const kernel_set* const sets[] = {&baseline::kernels, &avx2_kernels(), &avx512_kernels(),
                                             &amx_kernels()};
    return sets;
}

std::string why_no_f16_sums(core::isa level) {
    if (!core::has_f16_arithmetic() || !core::has_byte_dot_products())
        return "this machine has no AVX512-FP16";
    if (core::vectors_of(level) == core::isa::avx512) return {};
    return "the instruction set in use, " + std::string(core::name(level)) + ", has no AVX512-FP16";
}

const kernel_set& kernels_with_f16_sums(core::isa level) {
    // Every level requested here has the vectors of AVX-512, or is not used.
    static const f16_summing on_avx512(avx512_kernels());
    static const f16_summing on_amx(amx_kernels());
    return level == core::isa::amx ? on_amx.set : on_avx512.set;
}

}  // namespace carat::cpu_engine

#endif
