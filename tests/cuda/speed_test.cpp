// Fusing pays: the time of a product with bias and GELU against the product and a kernel of its
// own.
#include <algorithm>
#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>

#include "cuda/common/device.hpp"
#include "cuda/sm90/fused.hpp"
#include "cuda/sm90/table.hpp"
#include "tests/cuda/separate.hpp"

namespace {

using namespace carat;

core::buffer random_bf16(std::int64_t elements, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<bf16> values(static_cast<std::size_t>(elements));
    // A repeating stretch is random enough, and quickly made.
    const std::size_t stretch = std::min<std::size_t>(values.size(), 1 << 18);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i < stretch ? static_cast<bf16>(uniform(random)) : values[i - stretch];
    core::execution_space& gpu = cuda::space(cuda::device_in_use());
    core::buffer memory(gpu, values.size() * sizeof(bf16));
    gpu.upload(memory.data(), values.data(), values.size() * sizeof(bf16));
    return memory;
}

TEST(speed, bias_and_gelu_cost_no_more_than_in_a_kernel_of_their_own) {
    if (const std::string why = cuda::unavailable_in_use(); !why.empty())
        GTEST_SKIP() << "no GPU test can run: " << why;
    const core::implementation& engine = *cuda::sm90::table()[0];
    double of_narrow_tiles = 0;
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{4096, 14336, 4096},
                                  {4096, 4096, 4096},
                                  {4096, 4096, 512},
                                  {128, 14336, 4096},
                                  {1024, 1024, 1024}}) {
        const core::problem p = core::row_major_problem(dtype::bf16, m, n, k);
        if (const auto why = reason_against(engine, p, {}); !why.empty()) GTEST_SKIP() << why;
        core::execution_space& gpu = cuda::space(cuda::device_in_use());
        const core::buffer a = random_bf16(m * k, 1);
        const core::buffer b = random_bf16(k * n, 2);
        const core::buffer c(gpu, static_cast<std::size_t>(m * n) * 2);
        const std::vector<float> values(static_cast<std::size_t>(n), 0.25F);
        const core::buffer bias(gpu, values.size() * sizeof(float));
        gpu.upload(bias.data(), values.data(), values.size() * sizeof(float));
        const auto* const of_columns = static_cast<const float*>(bias.data());
        cuda::sm90::finish last;
        last.bias = {of_columns, false};
        last.then = cuda::sm90::activation::gelu;
        const auto alone = engine.prepare(p, {});
        const auto fused = cuda::sm90::prepare_fused(p, last, {});
        const core::operands data{a.data(), b.data(), c.data()};
        const auto seconds = [&](auto&& once) {
            constexpr int runs = 20;
            return gpu.time_s([&] {
                for (int i = 0; i < runs; ++i) once();
            }) / runs;
        };
        std::array<std::vector<double>, 3> taken;
        for (int round = 0; round < 15; ++round) {
            taken[0].push_back(seconds([&] { alone->run(data); }));
            taken[1].push_back(seconds([&] { fused->run(data); }));
            taken[2].push_back(seconds([&] {
                alone->run(data);
                test::bias_and_gelu_apart(c.data(), of_columns, m, n);
            }));
        }
        for (auto& times : taken) std::ranges::nth_element(times, times.begin() + 7);
        const double median[] = {taken[0][7], taken[1][7], taken[2][7]};
        std::printf(
            "%4lld x %5lld x %4lld bf16: product %.1f us, fused with bias and GELU %.1f, "
            "in two kernels %.1f: %.2f of the fused\n",
            static_cast<long long>(m), static_cast<long long>(n), static_cast<long long>(k),
            median[0] * 1e6, median[1] * 1e6, median[2] * 1e6, median[2] / median[1]);
        if (m == 1024) of_narrow_tiles = median[2] / median[1];
    }
    // Wide tiles lose today (docs/adr/0082): their finish hides behind nothing.
    EXPECT_GT(of_narrow_tiles, 0.95);
}

TEST(speed, the_host_starts_a_product_in_a_few_microseconds) {
    if (const std::string why = cuda::unavailable_in_use(); !why.empty())
        GTEST_SKIP() << "no GPU test can run: " << why;
    const core::implementation& engine = *cuda::sm90::table()[0];
    core::execution_space& gpu = cuda::space(cuda::device_in_use());
    for (const std::int64_t size : {256, 2048}) {
        const core::problem p = core::row_major_problem(dtype::bf16, size, size, size);
        if (const auto why = reason_against(engine, p, {}); !why.empty()) GTEST_SKIP() << why;
        const core::buffer a = random_bf16(size * size, 1);
        const core::buffer b = random_bf16(size * size, 2);
        const core::buffer c(gpu, static_cast<std::size_t>(size * size) * 2);
        const auto ready = engine.prepare(p, {});
        std::vector<double> taken;
        for (int round = 0; round < 9; ++round) {
            constexpr int runs = 100;  // fewer than the GPU's queue holds
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < runs; ++i) ready->run({a.data(), b.data(), c.data()});
            taken.push_back(
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
                runs);
            gpu.wait();
        }
        std::ranges::nth_element(taken, taken.begin() + 4);
        std::printf("%lld: the host's part is %.2f us\n", static_cast<long long>(size),
                    taken[4] * 1e6);
        EXPECT_LT(taken[4], 20e-6);
    }
}

}  // namespace
