// Each unit's kernel against its definition, on a real GPU; skipped without one. Not part of builds
// without CUDA, which have no such kernels.
#include "lab/gpu/peaks/units.hpp"

#include <gtest/gtest.h>

#include "cuda/common/device.hpp"
#include "lab/gpu/gpu.hpp"

namespace {

using namespace carat;

TEST(gpu_units, a_unit_that_computes_something_else_is_found_out) {
    const int device = gpu::in_use();
    if (const std::string why = gpu::unavailable(device); !why.empty())
        GTEST_SKIP() << "no GPU test can run: " << why;
    space::execution_space& space = gpu::space(device);
    const auto working = gpu::working_units(cuda::describe(device).compute_capability, space);
    EXPECT_GE(working.size(), 3u);
    for (const gpu::unit_kernel& unit : working) {
        const gpu::loaded_unit loaded(unit, space, workload::integers(-1, 1),
                                      workload::integers(-2, 2));
        loaded.start(2, 1);
        EXPECT_TRUE(loaded.right(2)) << unit.unit;
        EXPECT_FALSE(loaded.right(3)) << unit.unit;
    }
}

}  // namespace
