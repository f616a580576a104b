// Compares strided batches of carat::matrix_products with cuBLAS: carat_benchmark_batches [seed
// [cases [type|all [multiple]]]]. Sizes from 16 to 2048, in multiples of `multiple`, and 4 to 1024
// products are log-uniform. A case is a line of JSON: ratio is cuBLAS's time (the lesser of
// cublasGemmStridedBatchedEx and what cuBLASLt's heuristics propose) over carat's. A line with the
// geometric mean and the fifth percentile ends each type, of calls and of graphs that replay them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <carat/carat.hpp>

#include "benchmarks/gpu_call/batch_peers.hpp"
#include "benchmarks/gpu_call/turns.hpp"

namespace {

using namespace carat;
using benchmark::memory;
using benchmark::peer;
using benchmark::run;
using benchmark::stopwatch;
using sizes = benchmark::batch_sizes;

struct track {
    std::string_view name;
    dtype in;
    dtype out;
    f32_as f32;
};
constexpr track tracks[] = {{"f32", dtype::f32, dtype::f32, f32_as::f32},
                            {"f64", dtype::f64, dtype::f64, f32_as::f32},
                            {"tf32", dtype::f32, dtype::f32, f32_as::tf32},
                            {"3xtf32", dtype::f32, dtype::f32, f32_as::three_tf32},
                            {"bf16", dtype::bf16, dtype::bf16, f32_as::f32},
                            {"f16", dtype::f16, dtype::f16, f32_as::f32},
                            {"i8", dtype::i8, dtype::i32, f32_as::f32},
                            {"e4m3", dtype::e4m3, dtype::f32, f32_as::f32}};

// B is column-major for 8-bit elements, as cuBLAS supports no other.
core::problem problem_of(const track& t, const sizes& s) {
    core::problem p = core::row_major_problem(t.in, s.m, s.n, s.k);
    p.c_type = t.out;
    if (is_fp8(t.in) || is_byte_integer(t.in)) p.b_layout = core::column_major(s.k);
    return p;
}

template <class In, class Out>
void multiply(const track& t, const sizes& s, const core::problem& p, const memory& a,
              const memory& b, const memory& c) {
    const auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
    const matrix_view<In> first_a{static_cast<In*>(a.get()), size(s.m), size(s.k), s.k, 1};
    const matrix_view<In> first_b{static_cast<In*>(b.get()), size(s.k), size(s.n),
                                  p.b_layout.row_stride, p.b_layout.col_stride};
    const matrix_view<Out> first_c{static_cast<Out*>(c.get()), size(s.m), size(s.n), s.n, 1};
    matrix_products(cuda{.stream = benchmark::peer_stream(), .f32 = t.f32},
                    strided(first_a, size(s.count), s.m * s.k),
                    strided(first_b, size(s.count), s.k * s.n),
                    strided(first_c, size(s.count), s.m * s.n));
}

void multiply(const track& t, const sizes& s, const core::problem& p, const memory& a,
              const memory& b, const memory& c) {
    switch (t.in) {
        case dtype::f64:
            return multiply<double, double>(t, s, p, a, b, c);
        case dtype::f32:
            return multiply<float, float>(t, s, p, a, b, c);
        case dtype::bf16:
            return multiply<bf16, bf16>(t, s, p, a, b, c);
        case dtype::f16:
            return multiply<f16, f16>(t, s, p, a, b, c);
        case dtype::i8:
            return multiply<std::int8_t, std::int32_t>(t, s, p, a, b, c);
        default:
            return multiply<e4m3, float>(t, s, p, a, b, c);
    }
}

// Both take turns.
benchmark::both_times measure(stopwatch& clock, const track& t, const sizes& s,
                              std::mt19937_64& random) {
    constexpr double turn_s = 5e-3;
    constexpr int turns = 5;
    const core::problem p = problem_of(t, s);
    const auto bytes = [&](std::int64_t elements, dtype type) {
        return static_cast<std::size_t>(elements * s.count) * size_bytes(type);
    };
    memory a(bytes(s.m * s.k, t.in));
    memory b(bytes(s.k * s.n, t.in));
    const memory c(bytes(s.m * s.n, t.out));
    a.fill(t.in, random), b.fill(t.in, random);
    const run own = [&] {
        multiply(t, s, p, a, b, c);
        return true;
    };
    const peer other = fastest_peer(
        clock, peers_of(p, t.f32 == f32_as::tf32, s, {.a = a.get(), .b = b.get(), .c = c.get()}));
    const benchmark::both_times taken = take_both(clock, own, other, turn_s, turns);
    const double flop = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k * s.count);
    std::printf(
        "{\"type\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"count\": %lld, %s, "
        "\"carat_tflops\": %.2f, \"peer_kernels\": \"%s\"}\n",
        std::string(t.name).c_str(), static_cast<long long>(s.m), static_cast<long long>(s.n),
        static_cast<long long>(s.k), static_cast<long long>(s.count),
        text_of(taken, other.name).c_str(), 1e-12 * flop / taken.calls.own_s,
        benchmark::kernels_of(other.start, clock.stream()).c_str());
    std::fflush(stdout);
    return taken;
}

// No more than 2 GiB and half a second of work.
sizes drawn(std::mt19937_64& random, std::int64_t multiple) {
    const auto size = [&] { return benchmark::size_between(random, 16, 2048, multiple); };
    while (true) {
        const sizes s{size(), size(), size(), std::llround(benchmark::between(random, 4, 1024))};
        const auto elements = static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
        const auto work = static_cast<double>(s.m * s.n) * static_cast<double>(s.k);
        const auto count = static_cast<double>(s.count);
        if (elements * count * 8 <= 0x1p31 && 2 * work * count <= 2e12) return s;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int i, long long otherwise) {
        return argc > i ? std::atoll(argv[i]) : otherwise;
    };
    if (const std::string why = benchmark::why_no_peer(); !why.empty()) {
        std::fprintf(stderr, "carat_benchmark_batches: %s\n", why.c_str());
        return 2;
    }
    const auto seed = static_cast<std::uint64_t>(number(1, 1));
    const long long cases = number(2, 20);
    const std::string_view only = argc > 3 ? argv[3] : "all";
    const long long multiple = std::max(1LL, number(4, 8));
    stopwatch clock(benchmark::peer_stream());
    for (const track& t : tracks) {
        if (only != "all" && only != t.name) continue;
        std::mt19937_64 random(seed);
        benchmark::track_ratios ratios;
        // 8 bits: TMA and cuBLAS want multiples of 16.
        const bool of_bytes = size_bytes(t.in) == 1 && multiple > 1;
        for (long long i = 0; i < cases; ++i)
            ratios.add(measure(
                clock, t, drawn(random, of_bytes ? std::max(16LL, multiple) : multiple), random));
        ratios.summarise("\"type\": \"" + std::string(t.name) + "\", ");
    }
    return 0;
}
