// What these measurements share: matrices on the GPU, the clock of either side, and candidates that
// take turns, printed as one case of JSON.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <carat/carat.hpp>

#include "benchmarks/gpu_call/must.hpp"

namespace carat::benchmark {

inline constexpr int rounds = 15;

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

inline cudaStream_t the_stream() {
    static cudaStream_t stream = [] {
        cudaStream_t made = nullptr;
        must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
        return made;
    }();
    return stream;
}

inline cuda there(bool batch_invariant = false) {
    return {.stream = the_stream(), .batch_invariant = batch_invariant};
}

struct candidate {
    const char* name;
    std::function<void()> start;
};

// The host's time for `runs` starts, which the GPU's queue can hold.
inline double host_seconds(const candidate& c, int runs) {
    must(cudaStreamSynchronize(the_stream()));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) c.start();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    must(cudaStreamSynchronize(the_stream()));
    return taken.count() / runs;
}

// The GPU's time from before the first to after the last of many.
inline double gpu_seconds(const candidate& c, int runs) {
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

inline void measure(const std::string& what, const std::vector<candidate>& candidates,
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

inline std::string described(const char* kind, std::size_t m, std::size_t n, std::size_t k) {
    return std::string("\"kind\": \"") + kind + "\", \"m\": " + std::to_string(m) +
           ", \"n\": " + std::to_string(n) + ", \"k\": " + std::to_string(k);
}

}  // namespace carat::benchmark
