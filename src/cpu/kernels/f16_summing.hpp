// A level's kernels with tiles that multiply f16 in f16 sums in addition.
#pragma once

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/micro_kernel.hpp"

namespace carat::cpu_engine {

namespace fp16 {
extern const matrix_unit_kernel of_f16;
}

struct f16_summing {
    explicit f16_summing(const kernel_set& of) : set(of) {
        if (of.matrix_unit != nullptr) units = *of.matrix_unit;
        units.f16 = fp16::of_f16;
        set.matrix_unit = &units;
    }
    f16_summing(const f16_summing&) = delete;
    f16_summing& operator=(const f16_summing&) = delete;

    kernel_set set;
    matrix_unit_set units{};
};

}  // namespace carat::cpu_engine
