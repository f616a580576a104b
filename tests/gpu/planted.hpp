// A GPU with round numbers that nobody measured.
#pragma once

#include "lab/gpu/limits.hpp"

namespace carat::test {

inline gpu::known_gpu planted_gpu() {
    gpu::known_gpu gpu;
    gpu.l2_bytes = 50'000'000;
    gpu.limits.compute = {
        {"ffma", dtype::f32, {}, 1, 60e3, 0.01, 9},
        {"dfma", dtype::f64, {}, 1, 30e3, 0.01, 9},
        {"dmma", dtype::f64, {}, 1, 60e3, 0.01, 9},
        {"imad", dtype::i32, {}, 1, 30e3, 0.01, 9},
        {"tensor f16", dtype::f16, {}, 1, 1000e3, 0.01, 9},
        {"tensor bf16", dtype::bf16, {}, 1, 990e3, 0.01, 9},
        {"tensor tf32", dtype::f32, {}, 1, 500e3, 0.01, 9},
        {"tensor e4m3", dtype::e4m3, {}, 1, 1900e3, 0.01, 9},
        {"tensor i8", dtype::i8, {}, 1, 2000e3, 0.01, 9},
    };
    gpu.limits.bandwidth = {{"L2", 1, 5000, 0.01, 9, 12'500'000},
                            {"HBM", 1, 4000, 0.01, 9, 2'000'000'000},
                            {"HBM copy", 1, 4200, 0.01, 9, 2'000'000'000}};
    gpu.limits.measured_at_s = 1'700'000'000;
    return gpu;
}

}  // namespace carat::test
