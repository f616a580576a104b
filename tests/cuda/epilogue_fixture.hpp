// Shared by the tests of fused epilogues: when they can run, GPU memory, the activations, and a
// product with everything around it.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "cuda/common/device.hpp"
#include "cuda/engine/select.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/space/cuda/device_space.hpp"
#include "tests/cuda/sweep.hpp"

namespace carat::test {

class epilogue_fixture : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        const rows::implementation& engine = *rows::cuda::table()[0];
        const core::problem p = core::row_major_problem(dtype::f16, 8, 8, 8);
        if (const std::string why = reason_against(engine, p, {}); !why.empty())
            GTEST_SKIP() << why;
    }
};

inline space::buffer on_gpu(const void* from, std::size_t bytes) {
    space::buffer memory(gpu(), bytes);
    gpu().upload(memory.data(), from, bytes);
    return memory;
}

inline double reference(cuda::activation which, double x) {
    using enum cuda::activation;
    if (which == relu) return x < 0 ? 0 : x;
    if (which == silu) return x / (1 + std::exp(-x));
    if (which == gelu)
        return x / 2 * (1 + std::tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    return x;
}

// A fused product. With gates, B has twice the columns of C.
struct fused_case {
    core::problem p;
    core::settings s;
    bool scales = false;
    bool biases = false;
    bool per_row = false;
    cuda::activation then = cuda::activation::none;
    bool adds = false;  // a D that is not C
    bool gates = false;
    std::int64_t offset = 0;  // of A and B: not on 16 bytes they are packed
    core::gpu_arithmetic by = core::gpu_arithmetic::native;

    // The product as it is multiplied.
    [[nodiscard]] core::problem whole() const {
        core::problem all = p;
        if (gates) all.n *= 2;
        return all;
    }
};

// Runs it on whole numbers and says what is wrong; C(i, j) may be off by `tolerance` of itself.
[[nodiscard]] std::string check(const fused_case& a, double tolerance);

}  // namespace carat::test
