// A product prepared once and run in calls that lend it other memory, on the caller's stream.
// Skipped without a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scope.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/space/cuda/device_space.hpp"
#include "tests/cuda/sweep.hpp"
#include "tests/parameters.hpp"

namespace {

using namespace carat;

const rows::implementation& engine() {
    return *rows::cuda::table()[0];
}

class lent : public testing::TestWithParam<core::signature> {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        const core::problem p = test::along_k_problem(GetParam(), 16, 16, 16);
        if (const std::string why = engine().unsupported(p, {}); !why.empty()) GTEST_SKIP() << why;
    }
};

// A is packed to memory that the call lends. The next call lends other memory, and what the product
// keeps of the first must not be read there.
TEST_P(lent, what_is_packed_may_lie_elsewhere) {
    core::problem p = test::along_k_problem(GetParam(), 2250, 264, 131);
    p.alpha = 2;
    p.b_layout = core::row_major(p.n);
    test::operand_set data(p, 0);
    data.a.fill('a');
    data.b.fill('b');
    const test::device_copy a(data.a), b(data.b), c(data.c);
    const core::operands on_gpu{a.get(), b.get(), c.get()};
    const test::sums& product_of = test::whole_sums(2250, 264, 131);
    const cuda::unique_stream stream = cuda::make_stream();
    const auto expect_times = [&](double factor) {
        CARAT_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
        c.download(data.c);
        ASSERT_EQ(test::wrong_among(
                      p.m, p.n, [&](auto i, auto j) { return data.c.get(i, j); },
                      [&](auto i, auto j) { return factor * product_of(i, j); }),
                  "");
    };
    const cuda::call_scope first(cuda::call_scope::current_device, stream.get());
    const auto product = engine().prepare(p, {1, {{"block_n", 192}}});
    product->run(on_gpu);
    expect_times(p.alpha);
    if (HasFatalFailure()) return;

    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.k; ++j) data.a.set(i, j, -data.a.get(i, j));
    a.upload(data.a);
    const cuda::call_scope second(cuda::call_scope::current_device,
                                  stream.get());  // first lends on
    product->run(on_gpu);
    expect_times(-p.alpha);
}

INSTANTIATE_TEST_SUITE_P(cuda, lent,
                         testing::Values(core::signature{dtype::bf16, dtype::bf16, dtype::f32, ""},
                                         core::signature{dtype::bf16, dtype::bf16, dtype::bf16, ""},
                                         core::signature{dtype::f16, dtype::f16, dtype::f16, ""}),
                         test::as_printed);

}  // namespace
