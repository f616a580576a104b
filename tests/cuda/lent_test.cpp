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
    space::execution_space& gpu = space::cuda::device_space(cuda::device_in_use());
    const auto there = [&](const test::guarded& x) {
        space::buffer memory(gpu, x.bytes().size());
        gpu.upload(memory.data(), x.bytes().data(), x.bytes().size());
        return memory;
    };
    const space::buffer a = there(data.a);
    const space::buffer b = there(data.b);
    const space::buffer c = there(data.c);
    const auto first_of = [](const space::buffer& memory, const test::guarded& x) {
        return static_cast<std::byte*>(memory.data()) + x.first_byte();
    };
    const core::operands on_gpu{first_of(a, data.a), first_of(b, data.b), first_of(c, data.c)};
    const auto& sums = test::exact_product(p.m, p.n, p.k);
    const cuda::unique_stream stream = cuda::make_stream();
    const auto expect_times = [&](double factor) {
        CARAT_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
        gpu.download(data.c.bytes().data(), c.data(), data.c.bytes().size());
        for (std::int64_t i = 0; i < p.m; ++i)
            for (std::int64_t j = 0; j < p.n; ++j)
                ASSERT_EQ(data.c.get(i, j),
                          factor * static_cast<double>(sums[static_cast<std::size_t>(i * p.n + j)]))
                    << i << ", " << j;
    };
    const cuda::call_scope first(cuda::call_scope::current_device, stream.get());
    const auto product = engine().prepare(p, {1, {{"block_n", 192}}});
    product->run(on_gpu);
    expect_times(p.alpha);
    if (HasFatalFailure()) return;

    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.k; ++j) data.a.set(i, j, -data.a.get(i, j));
    gpu.upload(a.data(), data.a.bytes().data(), data.a.bytes().size());
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
