// The same on a GPU, where operands, mutants and verification stay in its memory. At 16384:
// `carat_test_mutants_gpu --size=16384 --mutants=40`.
#include "lab/gpu/gpu.hpp"

#include <gtest/gtest.h>

#include "harness.hpp"
#include "product_on_gpu.hpp"

namespace carat::mutants {
namespace {

TEST(mutants_gpu, are_all_caught) {
    if (const std::string why = gpu::unavailable(gpu::in_use()); !why.empty())
        GTEST_SKIP() << "no GPU test can run: " << why;
    constexpr std::int64_t sizes[] = {300, 700, 1500, 4096 - 32};
    expect_all_caught(
        rows::device::cuda,
        [](const core::problem& p, const core::settings& s) {
            return make_product_on_gpu(p, chosen(s));
        },
        sizes);
}

}  // namespace
}  // namespace carat::mutants
