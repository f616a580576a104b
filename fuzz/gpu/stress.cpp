#include "stress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <thread>

#include <carat/carat.hpp>

#include "seat.hpp"

namespace carat::fuzz {

namespace {

constexpr std::size_t threads = 6;
constexpr std::size_t products_of_thread = 16;
constexpr std::size_t calls_of_product = 6;
constexpr std::size_t replays_of_product = 6;
constexpr std::size_t calls_of_case =
    threads * products_of_thread * (calls_of_product + replays_of_product);
constexpr std::size_t most_elements = std::size_t{1} << 22;  // of a matrix
constexpr double most_work = 4e9;                            // multiplications of a product

// A matrix of at most `most_elements`, in memory of `bytes`.
struct placed_matrix {
    std::size_t rows = 0;
    std::size_t cols = 0;
    bool by_columns = false;
    std::size_t gap = 0;     // elements between the end of a line and the next one's beginning
    std::size_t offset = 0;  // of the first element, in elements

    template <class T>
    [[nodiscard]] matrix_view<T> view(const device_bytes& bytes) const {
        T* const first = reinterpret_cast<T*>(bytes.data()) + offset;
        const auto step = static_cast<std::ptrdiff_t>((by_columns ? rows : cols) + gap);
        return by_columns ? matrix_view<T>(first, rows, cols, 1, step)
                          : matrix_view<T>(first, rows, cols, step, 1);
    }
};

// What one thread multiplies again and again.
struct stressed_product {
    placed_matrix a, b, e, c;
    bool adds = false;
    bool batch_invariant = false;
    f32_as f32 = f32_as::f32;
};

std::size_t draw_length(random_numbers& random, double most) {
    return static_cast<std::size_t>(std::exp2(random.uniform(0, std::log2(most))));
}

// Most begin off 16 bytes or have lines that do.
placed_matrix draw_matrix(random_numbers& random, std::size_t rows, std::size_t cols) {
    placed_matrix m = {rows, cols, random.chance(3)};
    if (!random.chance(4)) m.gap = random.below(16);
    if (!random.chance(4)) m.offset = random.below(16);
    return m;
}

stressed_product draw_product(random_numbers& random) {
    std::size_t m = 0, n = 0, k = 0;
    do {
        m = draw_length(random, 2048);
        n = draw_length(random, 2048);
        k = draw_length(random, 4096);
    } while (static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > most_work ||
             std::max({m * (k + 16), n * (k + 16), k * (m + n + 16), m * (n + 16), n * (m + 16)}) >
                 most_elements);
    stressed_product p;
    p.a = draw_matrix(random, m, k);
    p.b = draw_matrix(random, k, n);
    p.e = draw_matrix(random, m, n);
    p.c = draw_matrix(random, m, n);
    p.adds = !random.chance(4);
    p.batch_invariant = random.chance(2);
    p.f32 = random.pick({f32_as::f32, f32_as::three_tf32, f32_as::tf32});
    return p;
}

template <class A, class B, class C>
void start(const stressed_product& p, const seat& on, cudaStream_t stream) {
    const cuda place{.stream = stream, .batch_invariant = p.batch_invariant, .f32 = p.f32};
    const auto& [a, b, e, c] = on.of_matrices;
    if (p.adds)
        matrix_product(place, p.a.view<const A>(a), p.b.view<const B>(b), p.e.view<const C>(e),
                       p.c.view<C>(c));
    else
        matrix_product(place, p.a.view<const A>(a), p.b.view<const B>(b), p.c.view<C>(c));
}

using start_product = void (*)(const stressed_product&, const seat&, cudaStream_t);
constexpr std::array<start_product, 9> starts = {
    start<bf16, bf16, bf16>,       start<bf16, bf16, float>,
    start<f16, f16, f16>,          start<float, float, float>,
    start<double, double, double>, start<e4m3, e4m3, bf16>,
    start<e5m2, e4m3, float>,      start<std::int8_t, std::int8_t, std::int32_t>,
    start<f16, f16, float>};

// Started six times on any stream, captured on one of the thread's own, and the graph run six
// times.
void repeat(const stressed_product& p, start_product starts_it, random_numbers& random, seat& on) {
    const std::array<cudaStream_t, 6> streams = {on.streams[1],    on.streams[2],
                                                 on.streams[3],    on.of_oracle,
                                                 cudaStreamLegacy, cudaStreamPerThread};
    for (std::size_t i = 0; i < calls_of_product; ++i)
        starts_it(p, on, streams[random.below(streams.size())]);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    must(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal), "a capture");
    std::exception_ptr failed;
    try {
        starts_it(p, on, streams[0]);
    } catch (...) {
        failed = std::current_exception();
    }
    const cudaError_t ended = cudaStreamEndCapture(streams[0], &graph);
    if (failed) std::rethrow_exception(failed);
    must(ended, "a capture's end");
    must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    for (std::size_t i = 0; i < replays_of_product; ++i)
        must(cudaGraphLaunch(ready, streams[random.below(streams.size())]), "a graph's run");
    must(cudaGraphExecDestroy(ready), "a graph");
    must(cudaGraphDestroy(graph), "a graph");
}

std::string run_thread(std::uint64_t seed, std::uint64_t number, std::size_t number_of_seat) {
    take_seat(number_of_seat);
    random_numbers random(seed, number);
    try {
        seat& on = own_seat();
        for (device_bytes& bytes : on.of_matrices) bytes.reserve((most_elements + 16) * 8);
        for (std::size_t i = 0; i < products_of_thread; ++i)
            repeat(draw_product(random), starts[random.below(starts.size())], random, on);
    } catch (const std::exception& e) {
        return e.what();
    }
    return {};
}

std::string run(std::uint64_t seed, std::uint64_t number, const surroundings& in, tally& count) {
    tell_description(in, "six threads of calls and graphs");
    std::array<std::string, threads> wrong;
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            wrong[t] = run_thread(seed, number * threads + t, in.thread * (gpu_threads + 1) + t);
        });
    for (std::thread& one : all) one.join();
    count.cases += calls_of_case;
    for (const std::string& what : wrong)
        if (!what.empty()) return what;
    const cudaError_t status = cudaDeviceSynchronize();
    return status == cudaSuccess ? std::string() : cudaGetErrorString(status);
}

bool is_lost() {
    return cudaDeviceSynchronize() != cudaSuccess;
}

}  // namespace

family of_stressed_gpus() {
    return {"stress", run, is_lost, nullptr, 32, true};
}

}  // namespace carat::fuzz
