// The cost of the public call on a GPU: the host's part of a call with a known plan, epilogues,
// block scales, graphs against calls, and batch-invariant rows. Candidates take turns; prints
// medians as JSON. The argument "epilogues" selects these and the scales. `carat bench` measures
// batches and groups.
#include <array>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <span>
#include <string>

#include "benchmarks/gpu_call/measuring.hpp"

namespace {

using namespace carat;
using namespace carat::benchmark;

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
             {"epilogue", [&] { matrix_product(there(), a, b, e, c, bias(added) | gelu); }},
             {"packed", [&] { matrix_product(there(), odd_a, b, c); }},
             {"memset", [&] { must(cudaMemsetAsync(c.data(), 0, 16, the_stream())); }}},
            host_seconds, 50);
}

// A product that no call has made before, so its plan is made first.
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

// The time of a separate kernel over C after the product, and of the product alone.
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
             {"swiglu", [&] { matrix_product(there(), a, b, c, swiglu); }},
             // A step after the gate needs the epilogue kernel, even if the gate could be fused.
             {"swiglu_by_pass", [&] { matrix_product(there(), a, b, c, swiglu | scale(1.0)); }}},
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
    const bool only_epilogues = words[1] != nullptr && std::string(words[1]) == "epilogues";
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{16, 4096, 4096},
                                  {128, 4096, 4096},
                                  {1024, 1024, 1024},
                                  {1024, 4096, 4096},
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
    if (only_epilogues) {
        std::printf("\n]}\n");
        return 0;
    }
    measure_host(256, 256, 256);
    measure_host(16, 4096, 4096);
    measure_first_call();
    measure_graph(256);
    measure_graph(1024);
    for (const std::size_t m : {1u, 16u, 64u, 128u, 512u, 4096u})
        for (const auto& [n, k] : {std::array<std::size_t, 2>{4096, 4096}, {1024, 8192}})
            measure_invariance(m, n, k);
    std::printf("\n]}\n");
}
