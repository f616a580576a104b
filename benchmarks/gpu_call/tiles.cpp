// Every kernel that reads unpacked operands (src/cuda/families/mma) for random batches, compared
// with those that pack for TMA (src/cuda/families/fma) and with cuBLAS; the plan's costs are fitted
// to them. carat_benchmark_tiles [seed [cases [type|all]]] prints a line of JSON for each case,
// times in us. The types f32_cuts and f64_cuts are random single products with every tile and split
// of K in fma.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/gpu_call/batch_peers.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/product.hpp"
#include "plan/gemm_prediction.hpp"

namespace {

using namespace carat;
using cuda::mma::arithmetic;
using sizes = benchmark::batch_sizes;

struct track {
    std::string_view name;
    dtype type;
    arithmetic how;
    std::size_t rows;
};
const track tracks[] = {
    {"f64", dtype::f64, arithmetic::own, cuda::mma::f64_kernels.size()},
    {"f32", dtype::f32, arithmetic::own, cuda::mma::f32_kernels.size()},
    {"tf32", dtype::f32, arithmetic::tf32, cuda::mma::tf32_kernels.size()},
};

// A sixth of a gigabyte at most, so that none takes long.
sizes drawn(std::mt19937_64& random) {
    const auto between = [&](double low, double high) {
        return std::exp2(
            std::uniform_real_distribution<double>(std::log2(low), std::log2(high))(random));
    };
    const auto size = [&] { return std::llround(between(16, 2048)); };
    while (true) {
        const sizes s{size(), size(), size(), std::llround(between(4, 1024))};
        const double work = static_cast<double>(s.m * s.n) * static_cast<double>(s.k * s.count);
        const auto elements = static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
        if (elements * static_cast<double>(s.count) <= 4e7 && 2 * work <= 4e10) return s;
    }
}

using run = std::function<bool()>;

double once_us(const run& what, int runs) {
    static std::array<cudaEvent_t, 2> events = [] {
        std::array<cudaEvent_t, 2> made{};
        for (cudaEvent_t& e : made) cudaEventCreate(&e);
        return made;
    }();
    cudaEventRecord(events[0], benchmark::peer_stream());
    for (int i = 0; i < runs; ++i)
        if (!what()) return 0;
    cudaEventRecord(events[1], benchmark::peer_stream());
    cudaEventSynchronize(events[1]);
    float ms = 0;
    cudaEventElapsedTime(&ms, events[0], events[1]);
    return 1e3 * static_cast<double>(ms) / runs;
}

// The median of three turns of a millisecond.
double us(const run& what) {
    (void)once_us(what, 1);
    const double one = once_us(what, 2);
    const int runs = static_cast<int>(std::clamp(1000 / std::max(one, 0.1), 2.0, 200.0));
    std::array<double, 3> turns{};
    for (double& turn : turns) turn = once_us(what, runs);
    std::ranges::sort(turns);
    return turns[1];
}

void measure(const track& t, const sizes& s) {
    const std::size_t each = size_bytes(t.type);
    const auto memory = [&](std::int64_t elements) {
        cuda::device_memory there =
            cuda::allocate(static_cast<std::size_t>(elements * s.count) * each);
        cudaMemset(there.get(), 0x3f, static_cast<std::size_t>(elements * s.count) * each);
        return there;
    };
    const cuda::device_memory a = memory(s.m * s.k);
    const cuda::device_memory b = memory(s.k * s.n);
    const cuda::device_memory c = memory(s.m * s.n);
    const core::problem p = core::row_major_problem(t.type, s.m, s.n, s.k);
    cuda::gemm_task task{p, core::accumulation::native, {}, {}, {.count = s.count}};
    task.aligned = {cuda::is_aligned(a.get(), s.m * s.k, t.type),
                    cuda::is_aligned(b.get(), s.k * s.n, t.type)};
    cuda::launch_arguments with;
    with.data = {a.get(), b.get(), c.get()};
    with.stream = benchmark::peer_stream();
    const cuda::batch_strides apart{s.m * s.k, s.k * s.n, s.m * s.n};
    std::printf("{\"type\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"count\": %lld",
                std::string(t.name).c_str(), static_cast<long long>(s.m),
                static_cast<long long>(s.n), static_cast<long long>(s.k),
                static_cast<long long>(s.count));
    std::printf(", \"rows\": [");
    for (std::size_t row = 0; row < t.rows; ++row) {
        const auto made = cuda::mma::prepare(task, t.how, row);
        std::printf("%s%.2f", row == 0 ? "" : ", ",
                    us([&] { return made->run_batch(with, apart); }));
    }
    std::printf("], \"predicted\": %.2f", 1e6 * cuda::mma::predicted_s(task, t.how, 3.085e12));
    if (t.how == arithmetic::own) {
        const auto packs = cuda::fma::prepare(task, {});
        if (packs != nullptr)
            std::printf(", \"fma\": %.2f", us([&] { return packs->run_batch(with, apart); }));
        std::printf(", \"fma_predicted\": %.2f", 1e6 * cuda::fma::predicted_s(task, 3.085e12));
    }
    double best = 0;
    std::string who = "none";
    for (const benchmark::peer& one :
         benchmark::peers_of(p, t.how == arithmetic::tf32, s, with.data)) {
        const double taken = us(one.start);
        if (taken > 0 && (best == 0 || taken < best)) best = taken, who = one.name;
    }
    std::printf(", \"peer\": %.2f, \"who\": \"%s\"}\n", best, who.c_str());
    std::fflush(stdout);
}

// Drawn like those of carat_benchmark_gpu_calls, with a tenth of their work.
core::problem drawn_single(dtype type, std::mt19937_64& random) {
    const auto size = [&] {
        return std::llround(std::exp2(std::uniform_real_distribution<double>(6, 13)(random)) / 8) *
               8;
    };
    core::problem p;
    do p = core::row_major_problem(type, size(), size(), size());
    while (static_cast<double>(p.m * p.n) * static_cast<double>(p.k) > 4e9);
    if (random() % 4 == 0) p.a_layout = core::column_major(p.m);
    if (random() % 4 == 0) p.b_layout = core::column_major(p.k);
    return p;
}

// Those within three times of what is predicted to be the fastest.
void measure_cuts(const core::problem& p) {
    const auto memory = [&](std::int64_t elements) {
        const std::size_t bytes = static_cast<std::size_t>(elements) * size_bytes(p.a_type);
        cuda::device_memory there = cuda::allocate(bytes);
        cudaMemset(there.get(), 0x3f, bytes);
        return there;
    };
    const cuda::device_memory a = memory(p.m * p.k);
    const cuda::device_memory b = memory(p.k * p.n);
    const cuda::device_memory c = memory(p.m * p.n);
    const cuda::gemm_task task{p, core::accumulation::native, {}, {true, true}, {}};
    cuda::launch_arguments with;
    with.data = {a.get(), b.get(), c.get()};
    with.stream = benchmark::peer_stream();
    constexpr double h200_bytes_per_s = 4.616e12;
    const double least_s = cuda::fma::predicted_s(task, h200_bytes_per_s);
    std::printf(
        "{\"type\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"layout\": "
        "\"%c%c\", \"predicted\": %.2f, \"cuts\": [",
        std::string(name(p.a_type)).c_str(), static_cast<long long>(p.m),
        static_cast<long long>(p.n), static_cast<long long>(p.k),
        p.a_layout.col_stride == 1 ? 'n' : 't', p.b_layout.col_stride == 1 ? 'n' : 't',
        1e6 * least_s);
    bool first = true;
    for (const plan::fma_tile& tile : cuda::fma::tiles_of(p.a_type))
        for (int cluster = 1; cluster <= tile.most_cluster; cluster *= 2)
            for (const int groups : {1, 2, 3, 4, 6, 8, 16}) {
                if (cluster * groups > p.k / tile.k) continue;
                const cuda::fma::overrides asked{tile.m, tile.n, cluster * groups, cluster};
                const auto made = cuda::fma::prepare(task, asked);
                const auto told = made->predicted({plan::fma_unit_gflops, 1e-9 * h200_bytes_per_s});
                if (told->time_s > 3 * least_s) continue;
                std::printf("%s[%d, %d, %d, %d, %.2f, %.2f]", first ? "" : ", ", tile.m, tile.n,
                            cluster, groups, us([&] {
                                return made->run_batch(with, {0, 0, 0});
                            }),
                            1e6 * told->time_s);
                first = false;
            }
    std::printf("]}\n");
    std::fflush(stdout);
}

void measure_cuts(dtype type, std::uint64_t seed, int cases) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < cases; ++i) measure_cuts(drawn_single(type, random));
}

}  // namespace

int main(int argc, char** argv) {
    const auto seed = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 1);
    const int cases = argc > 2 ? std::atoi(argv[2]) : 20;
    const std::string_view only = argc > 3 ? argv[3] : "all";
    if (only == "f32_cuts") measure_cuts(dtype::f32, seed, cases);
    if (only == "f64_cuts") measure_cuts(dtype::f64, seed, cases);
    for (const track& t : tracks) {
        if (only != "all" && only != t.name) continue;
        std::mt19937_64 random(seed);
        for (int i = 0; i < cases; ++i) {
            sizes s = drawn(random);
            if (i % 4 == 3)
                s.m = (s.m + 7) / 8 * 8, s.n = (s.n + 7) / 8 * 8, s.k = (s.k + 7) / 8 * 8;
            measure(t, s);
        }
    }
    return 0;
}
