// What the public call on a GPU costs: the host's part of a call that was planned before, finishes,
// scales of blocks, batches against loops, graphs against calls, and rows whose bits don't depend
// on the others. What is compared takes turns; medians, as JSON. With the word "finishes" only
// these and the scales.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <carat/carat.hpp>

namespace {

using namespace carat;

constexpr int rounds = 15;

void must(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "carat_benchmark_gpu_call: %s\n", cudaGetErrorString(status));
    std::exit(2);
}

// A row-major matrix of random bf16, or of any float, on the GPU.
template <class T>
matrix_view<T> on_gpu(std::size_t rows, std::size_t cols, std::size_t row_stride) {
    std::mt19937 random(static_cast<unsigned>(rows * 31 + cols));
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<T> values(rows * row_stride);
    // A repeating stretch is random enough, and quickly made.
    const std::size_t stretch = std::min<std::size_t>(values.size(), 1 << 18);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i < stretch ? T(uniform(random)) : values[i - stretch];
    void* memory = nullptr;  // until the end
    must(cudaMalloc(&memory, values.size() * sizeof(T)));
    must(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return {static_cast<T*>(memory), rows, cols, static_cast<std::ptrdiff_t>(row_stride), 1};
}
template <class T>
matrix_view<T> on_gpu(std::size_t rows, std::size_t cols) {
    return on_gpu<T>(rows, cols, cols);
}

cudaStream_t the_stream() {
    static cudaStream_t stream = [] {
        cudaStream_t made = nullptr;
        must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }();
    return stream;
}

cuda there(bool batch_invariant = false) {
    return {.stream = the_stream(), .batch_invariant = batch_invariant};
}

struct candidate {
    const char* name;
    std::function<void()> start;
};

// Of the host, for `runs` starts that the GPU's queue can hold.
double host_seconds(const candidate& c, int runs) {
    must(cudaStreamSynchronize(the_stream()));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) c.start();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    must(cudaStreamSynchronize(the_stream()));
    return taken.count() / runs;
}

// Of the GPU, from before the first to after the last of many.
double gpu_seconds(const candidate& c, int runs) {
    static std::array<cudaEvent_t, 2> events = [] {
        std::array<cudaEvent_t, 2> made{};
        for (cudaEvent_t& e : made) must(cudaEventCreate(&e));
        return made;
    }();
    must(cudaEventRecord(events[0], the_stream()));
    for (int i = 0; i < runs; ++i) c.start();
    must(cudaEventRecord(events[1], the_stream()));
    must(cudaEventSynchronize(events[1]));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, events[0], events[1]));
    return static_cast<double>(ms) * 1e-3 / runs;
}

void measure(const std::string& what, const std::vector<candidate>& candidates,
             double (*seconds)(const candidate&, int), int runs) {
    static bool first = true;
    std::vector<std::vector<double>> times(candidates.size());
    for (const candidate& c : candidates) (void)seconds(c, runs);
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < candidates.size(); ++i)
            times[i].push_back(seconds(candidates[i], runs));
    std::printf("%s  {%s", first ? "" : ",\n", what.c_str());
    first = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        std::ranges::sort(times[i]);
        std::printf(", \"%s_us\": %.3f", candidates[i].name, 1e6 * times[i][rounds / 2]);
    }
    std::printf("}");
    std::fflush(stdout);
}

std::string described(const char* kind, std::size_t m, std::size_t n, std::size_t k) {
    return std::string("\"kind\": \"") + kind + "\", \"m\": " + std::to_string(m) +
           ", \"n\": " + std::to_string(n) + ", \"k\": " + std::to_string(k);
}

void measure_host(std::size_t m, std::size_t n, std::size_t k) {
    const auto a = on_gpu<bf16>(m, k);
    const auto odd_a = on_gpu<bf16>(m, k, k + 1);
    const auto b = on_gpu<bf16>(k, n);
    const auto c = on_gpu<bf16>(m, n);
    const auto e = on_gpu<bf16>(m, n);
    const auto values = on_gpu<float>(1, n);
    const std::span<const float> added(values.data(), n);
    measure(described("host", m, n, k),
            {{"product", [&] { matrix_product(there(), a, b, c); }},
             {"finish", [&] { matrix_product(there(), a, b, e, c, bias(added) | gelu); }},
             {"packed", [&] { matrix_product(there(), odd_a, b, c); }},
             {"memset", [&] { must(cudaMemsetAsync(c.data(), 0, 16, the_stream())); }}},
            host_seconds, 50);
}

// A product that no call has met before: its plan is made first.
void measure_first_call() {
    const auto a = on_gpu<bf16>(2048, 2048);
    const auto b = on_gpu<bf16>(2048, 2048);
    const auto c = on_gpu<bf16>(2048, 2048);
    std::size_t m = 256;
    measure(described("first call", 256, 256, 256),
            {{"product",
              [&] {
                  m = m == 2000 ? 256 : m + 1;
                  matrix_product(there(), a.block(0, 0, m, 256), b.block(0, 0, 256, 256),
                                 c.block(0, 0, m, 256));
              }}},
            host_seconds, 50);
}

void measure_batch(std::size_t m, std::size_t n, std::size_t k, std::size_t count) {
    const auto a = on_gpu<bf16>(count * m, k);
    const auto b = on_gpu<bf16>(count * k, n);
    const auto c = on_gpu<bf16>(count * m, n);
    const auto size = [](std::size_t x) { return static_cast<std::ptrdiff_t>(x); };
    measure(described("batch", m, n, k) + ", \"count\": " + std::to_string(count),
            {{"loop",
              [&] {
                  for (std::size_t i = 0; i < count; ++i)
                      matrix_product(there(), a.block(i * m, 0, m, k), b.block(i * k, 0, k, n),
                                     c.block(i * m, 0, m, n));
              }},
             {"batch",
              [&] {
                  matrix_products(there(), strided(a.block(0, 0, m, k), count, size(m * k)),
                                  strided(b.block(0, 0, k, n), count, size(k * n)),
                                  strided(c.block(0, 0, m, n), count, size(m * n)));
              }}},
            gpu_seconds, 10);
}

void measure_graph(std::size_t size) {
    const auto a = on_gpu<bf16>(size, size);
    const auto b = on_gpu<bf16>(size, size);
    const auto c = on_gpu<bf16>(size, size);
    constexpr int products = 20;
    const auto all = [&] {
        for (int i = 0; i < products; ++i) matrix_product(there(), a, b, c);
    };
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    must(cudaStreamBeginCapture(the_stream(), cudaStreamCaptureModeGlobal));
    all();
    must(cudaStreamEndCapture(the_stream(), &graph));
    must(cudaGraphInstantiate(&ready, graph, 0));
    measure(described("20 products", size, size, size),
            {{"calls", all}, {"graph", [&] { must(cudaGraphLaunch(ready, the_stream())); }}},
            gpu_seconds, 10);
}

// What a kernel of its own takes of C after the product, beside the product alone.
void measure_pass(std::size_t m, std::size_t n, std::size_t k) {
    const auto a = on_gpu<bf16>(m, k);
    const auto b = on_gpu<bf16>(k, 2 * n);
    const auto c = on_gpu<bf16>(m, n);
    const auto both = on_gpu<bf16>(m, 2 * n);
    const auto quantised = on_gpu<e4m3>(m, n);
    const auto half = b.block(0, 0, k, n);
    const auto values = on_gpu<float>(1, n);
    const std::span<const float> added(values.data(), n);
    float* const largest = on_gpu<float>(1, 1).data();
    measure(described("pass", m, n, k),
            {{"product", [&] { matrix_product(there(), a, half, c); }},
             {"bias_gelu", [&] { matrix_product(there(), a, half, c, bias(added) | gelu); }},
             {"bias_gelu_amax_e4m3",
              [&] {
                  matrix_product(there(), a, half, quantised,
                                 bias(added) | gelu | amax(largest) | scale(0.5));
              }},
             {"product_of_2n", [&] { matrix_product(there(), a, b, both); }},
             {"swiglu", [&] { matrix_product(there(), a, b, c, swiglu); }}},
            gpu_seconds, 20);
}

void measure_f32(std::size_t size) {
    const auto a = on_gpu<float>(size, size);
    const auto b = on_gpu<float>(size, size);
    const auto c = on_gpu<float>(size, size);
    const auto in = [](f32_as as) { return cuda{.stream = the_stream(), .f32 = as}; };
    measure(described("f32", size, size, size),
            {{"f32", [&] { matrix_product(in(f32_as::f32), a, b, c); }},
             {"f32_gelu", [&] { matrix_product(in(f32_as::f32), a, b, c, gelu); }},
             {"three_tf32", [&] { matrix_product(in(f32_as::three_tf32), a, b, c); }},
             {"tf32", [&] { matrix_product(in(f32_as::tf32), a, b, c); }}},
            gpu_seconds, 5);
}

void measure_blocks(std::size_t m, std::size_t n, std::size_t k) {
    const auto a = on_gpu<e4m3>(m, k);
    const auto b = transposed(on_gpu<e4m3>(n, k));
    const auto c = on_gpu<bf16>(m, n);
    const auto of_a = on_gpu<float>(m, k / 128);
    const auto of_b = on_gpu<float>(k / 128, n / 128);
    measure(described("blocks", m, n, k),
            {{"one_scale", [&] { matrix_product(there(), scaled(0.5, a), b, c); }},
             {"blocks",
              [&] {
                  matrix_product(there(), scaled_by_blocks(a, of_a), scaled_by_blocks(b, of_b), c);
              }}},
            gpu_seconds, 20);
}

void measure_invariance(std::size_t m, std::size_t n, std::size_t k) {
    const auto a = on_gpu<bf16>(m, k);
    const auto b = on_gpu<bf16>(k, n);
    const auto c = on_gpu<bf16>(m, n);
    measure(described("batch-invariant", m, n, k),
            {{"free", [&] { matrix_product(there(), a, b, c); }},
             {"invariant", [&] { matrix_product(there(true), a, b, c); }}},
            gpu_seconds, 50);
}

}  // namespace

int main(int, char** words) {
    cudaDeviceProp gpu{};
    must(cudaGetDeviceProperties(&gpu, 0));
    std::printf("{\"gpu\": \"%s\", \"dtype\": \"bf16\", \"rounds\": %d, \"cases\": [\n", gpu.name,
                rounds);
    const bool only_finishes = words[1] != nullptr && std::string(words[1]) == "finishes";
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{16, 4096, 4096},
                                  {1024, 1024, 1024},
                                  {4096, 4096, 512},
                                  {4096, 4096, 4096},
                                  {4096, 14336, 4096}})
        measure_pass(m, n, k);
    measure_f32(1024);
    measure_f32(4096);
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{16, 4096, 7168},
                                  {64, 4096, 7168},
                                  {128, 7168, 2048},
                                  {1024, 1024, 1024},
                                  {2048, 2048, 2048},
                                  {4096, 4096, 4096},
                                  {4096, 7168, 2048},
                                  {8192, 8192, 8192}})
        measure_blocks(m, n, k);
    if (only_finishes) {
        std::printf("\n]}\n");
        return 0;
    }
    measure_host(256, 256, 256);
    measure_host(16, 4096, 4096);
    measure_first_call();
    for (const auto& [m, n, k, count] : {std::array<std::size_t, 4>{64, 64, 64, 128},
                                         {128, 128, 64, 96},
                                         {128, 64, 128, 96},
                                         {256, 256, 256, 32},
                                         {1, 1024, 1024, 32},
                                         {512, 512, 512, 16},
                                         {2048, 2048, 2048, 4}})
        measure_batch(m, n, k, count);
    measure_graph(256);
    measure_graph(1024);
    for (const std::size_t m : {1u, 16u, 64u, 128u, 512u, 4096u})
        for (const auto& [n, k] : {std::array<std::size_t, 2>{4096, 4096}, {1024, 8192}})
            measure_invariance(m, n, k);
    std::printf("\n]}\n");
}
