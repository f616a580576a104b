// The host's part of the Hopper engine, and whether fusing pays: a product with bias and GELU
// compared with the product alone, with an epilogue kernel after it, and with cuBLASLt's fused
// product. All take turns in rounds; prints medians with the least and the most.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/hopper/separate.hpp"
#include "benchmarks/hopper/vendor_fused.hpp"
#include "cuda/common/device.hpp"
#include "cuda/engine/select.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace {

using namespace carat;

constexpr int rounds = 15;

struct spread {
    double median, least, most;
};

spread of(std::vector<double> times_s) {
    std::ranges::sort(times_s);
    return {1e6 * times_s[times_s.size() / 2], 1e6 * times_s.front(), 1e6 * times_s.back()};
}

void print(const char* what, const spread& s) {
    std::printf("  %-22s %8.2f us [%.2f, %.2f]\n", what, s.median, s.least, s.most);
}

space::execution_space& gpu() {
    return space::cuda::device_space(cuda::device_in_use());
}

space::buffer random_bf16(std::int64_t elements, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<bf16> values(static_cast<std::size_t>(elements));
    // A repeating stretch is random enough, and quickly made.
    const std::size_t stretch = std::min<std::size_t>(values.size(), 1 << 18);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i < stretch ? static_cast<bf16>(uniform(random)) : values[i - stretch];
    space::buffer memory(gpu(), values.size() * sizeof(bf16));
    gpu().upload(memory.data(), values.data(), values.size() * sizeof(bf16));
    return memory;
}

struct problem_data {
    space::buffer a, b, c;

    explicit problem_data(const core::problem& p)
        : a(random_bf16(p.m * p.k, 1)),
          b(random_bf16(p.k * p.n, 2)),
          c(gpu(), static_cast<std::size_t>(p.m * p.n) * sizeof(bf16)) {}

    [[nodiscard]] core::operands operands() const { return {a.data(), b.data(), c.data()}; }
};

template <class Run>
double seconds(Run&& run) {
    constexpr int runs = 20;
    return gpu().time_s([&] {
        for (int i = 0; i < runs; ++i) run();
    }) / runs;
}

void fused_against_apart(const rows::implementation& engine, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
    const core::problem p = core::row_major_problem(dtype::bf16, m, n, k);
    const problem_data data(p);
    const std::vector<float> values(static_cast<std::size_t>(n), 0.25F);
    const space::buffer bias(gpu(), values.size() * sizeof(float));
    gpu().upload(bias.data(), values.data(), values.size() * sizeof(float));
    const auto* const of_columns = static_cast<const float*>(bias.data());
    cuda::epilogue_fusion last;
    last.bias = {of_columns, false};
    last.activation_function = cuda::activation::gelu;
    const auto alone = engine.prepare(p, {});
    const auto fused = rows::cuda::prepare_fused(p, last, {});
    const space::buffer narrow_bias = random_bf16(n, 3);
    const auto theirs = benchmarks::vendor_fused(data.a.data(), data.b.data(), narrow_bias.data(),
                                                 data.c.data(), m, n, k);
    std::array<std::vector<double>, 4> taken;
    for (int round = 0; round < rounds; ++round) {
        taken[0].push_back(seconds([&] { alone->run(data.operands()); }));
        taken[1].push_back(seconds([&] { fused->run(data.operands()); }));
        taken[2].push_back(seconds([&] {
            alone->run(data.operands());
            benchmarks::bias_and_gelu_apart(data.c.data(), of_columns, m, n);
        }));
        if (theirs) taken[3].push_back(seconds(theirs));
    }
    std::printf("%s, bias and GELU\n", core::describe(p).c_str());
    print("product alone", of(taken[0]));
    print("fused", of(taken[1]));
    print("in two kernels", of(taken[2]));
    std::printf("  fusing is worth %.2f\n", of(taken[2]).median / of(taken[1]).median);
    if (!theirs) return;
    print("cuBLASLt, fused", of(taken[3]));
    std::printf("  against cuBLASLt %.2f\n", of(taken[3]).median / of(taken[1]).median);
}

void cost_of_the_host(const rows::implementation& engine, std::int64_t size) {
    const core::problem p = core::row_major_problem(dtype::bf16, size, size, size);
    const problem_data data(p);
    const auto ready = engine.prepare(p, {});
    std::vector<double> taken;
    for (int round = 0; round < rounds; ++round) {
        constexpr int runs = 100;  // fewer than the GPU's queue holds
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < runs; ++i) ready->run(data.operands());
        const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
        taken.push_back(whole.count() / runs);
        gpu().wait();
    }
    std::printf("%s\n", core::describe(p).c_str());
    print("the host's part", of(taken));
}

}  // namespace

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const rows::implementation& engine = *rows::cuda::table()[0];
    std::string why = cuda::unavailable_in_use();
    if (why.empty())
        why = reason_against(engine, core::row_major_problem(dtype::bf16, 256, 256, 256), {});
    if (!why.empty()) {
        std::fprintf(stderr, "carat_benchmark_hopper: %s\n", why.c_str());
        return 2;
    }
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{4096, 14336, 4096},
                                  {4096, 4096, 4096},
                                  {4096, 4096, 512},
                                  {4096, 4096, 64},
                                  {128, 14336, 4096},
                                  {1024, 1024, 1024}})
        fused_against_apart(engine, m, n, k);
    for (const std::int64_t size : {256, 2048}) cost_of_the_host(engine, size);
    return 0;
}
