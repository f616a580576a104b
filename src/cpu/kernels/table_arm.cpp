// The micro-kernels of 64-bit Arm.
#include <string>

#include "cpu/kernels/f16_summing.hpp"

#if defined(__aarch64__)

namespace carat::cpu_engine {

namespace baseline {
extern const kernel_set kernels;
}
namespace sve256 {
extern const kernel_set kernels;
}
namespace sve512 {
extern const kernel_set kernels;
}
namespace dotprod {
extern const matrix_unit_set kernels;
}
namespace i8mm {
extern const matrix_unit_set kernels;
}

namespace {

// Both extend NEON.
kernel_set with_unit(core::isa level, const matrix_unit_set& unit) {
    kernel_set set = baseline::kernels;
    set.level = level;
    set.matrix_unit = &unit;
    return set;
}

// Matrix products of bf16 are a feature of their own.
const matrix_unit_set& matrix_products() {
    static const matrix_unit_set made = [] {
        matrix_unit_set set = i8mm::kernels;
        if (!core::has_bf16_matrix_products()) set.bf16 = {};
        return set;
    }();
    return made;
}

// Processors with longer vectors have any features for narrow types, or none.
kernel_set with_best_unit(const kernel_set& vectors) {
    kernel_set set = vectors;
    if (core::has(core::isa::i8mm))
        set.matrix_unit = &matrix_products();
    else if (core::has(core::isa::dotprod))
        set.matrix_unit = &dotprod::kernels;
    return set;
}

const kernel_set& dotprod_kernels() {
    static const kernel_set made = with_unit(core::isa::dotprod, dotprod::kernels);
    return made;
}
const kernel_set& i8mm_kernels() {
    static const kernel_set made = with_unit(core::isa::i8mm, matrix_products());
    return made;
}
const kernel_set& sve256_kernels() {
    static const kernel_set made = with_best_unit(sve256::kernels);
    return made;
}
const kernel_set& sve512_kernels() {
    static const kernel_set made = with_best_unit(sve512::kernels);
    return made;
}

}  // namespace

std::span<const kernel_set* const> kernel_sets() {
    static const kernel_set* const sets[] = {&baseline::kernels, &dotprod_kernels(),
                                             &i8mm_kernels(), &sve256_kernels(), &sve512_kernels()};
    return sets;
}

std::string why_no_f16_sums(core::isa level) {
    if (!core::has_f16_arithmetic()) return "this machine has no FEAT_FP16 with dot products";
    if (level != core::isa::baseline) return {};
    return "the instruction set in use, baseline, has no FEAT_FP16";
}

const kernel_set& kernels_with_f16_sums(core::isa level) {
    static const f16_summing on_dotprod(dotprod_kernels());
    static const f16_summing on_i8mm(i8mm_kernels());
    static const f16_summing on_sve256(sve256_kernels());
    static const f16_summing on_sve512(sve512_kernels());
    if (level == core::isa::sve512) return on_sve512.set;
    if (level == core::isa::sve256) return on_sve256.set;
    return level == core::isa::i8mm ? on_i8mm.set : on_dotprod.set;
}

}  // namespace carat::cpu_engine

#endif
