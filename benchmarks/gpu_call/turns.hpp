// Shared by comparisons with cuBLAS: random memory and sizes, the GPU's clock, candidates that take
// turns, and the summary lines.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <carat/types.hpp>

#include "benchmarks/gpu_call/must.hpp"

namespace carat::benchmark {

template <class T>
void put_as(T x, unsigned char* to) {
    std::memcpy(to, &x, sizeof x);
}
inline void put(dtype type, double x, unsigned char* to) {
    if (type == dtype::f64) put_as(x, to);
    if (type == dtype::f32) put_as(static_cast<float>(x), to);
    if (type == dtype::f16) put_as(f16(x), to);
    if (type == dtype::bf16) put_as(bf16(x), to);
    if (type == dtype::e4m3) put_as(e4m3(x), to);
    if (type == dtype::i8) put_as(static_cast<std::int8_t>(8 * x), to);
    if (type == dtype::i32) put_as(static_cast<std::int32_t>(64 * x), to);
}

// Memory on the GPU, full of random numbers where they are read.
class memory {
  public:
    explicit memory(std::size_t bytes) : bytes_(bytes) { must(cudaMalloc(&data_, bytes)); }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    ~memory() { cudaFree(data_); }

    void fill(dtype type, std::mt19937_64& random) {
        std::vector<unsigned char> some(std::min<std::size_t>(bytes_, std::size_t{1} << 20));
        std::uniform_real_distribution<double> uniform(-1, 1);
        const std::size_t each = size_bytes(type);
        for (std::size_t at = 0; at + each <= some.size(); at += each)
            put(type, uniform(random), some.data() + at);
        for (std::size_t at = 0; at < bytes_; at += some.size())
            must(cudaMemcpy(static_cast<unsigned char*>(data_) + at, some.data(),
                            std::min(some.size(), bytes_ - at), cudaMemcpyHostToDevice));
    }
    [[nodiscard]] void* get() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

using run = std::function<bool()>;  // false: it can't

struct peer {
    run start;
    std::string name = "none";
};

// The GPU's clock, for some milliseconds on one stream.
class stopwatch {
  public:
    explicit stopwatch(cudaStream_t stream) : stream_(stream) {
        for (cudaEvent_t& e : events_) must(cudaEventCreate(&e));
    }
    double once_s(const run& what, int runs) {
        must(cudaEventRecord(events_[0], stream_));
        for (int i = 0; i < runs; ++i)
            if (!what()) return std::numeric_limits<double>::infinity();
        must(cudaEventRecord(events_[1], stream_));
        must(cudaEventSynchronize(events_[1]));
        float ms = 0;
        must(cudaEventElapsedTime(&ms, events_[0], events_[1]));
        return static_cast<double>(ms) * 1e-3 / runs;
    }
    int runs_for(const run& what, double seconds) {
        (void)once_s(what, 1);
        const double one = once_s(what, 2);
        return static_cast<int>(std::clamp(seconds / std::max(one, 1e-7), 1.0, 1000.0));
    }

  private:
    cudaStream_t stream_;
    std::array<cudaEvent_t, 2> events_{};
};

inline double median(std::vector<double> x) {
    std::ranges::nth_element(x, x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
    return x[x.size() / 2];
}

// The fastest of all that work.
inline peer fastest_peer(stopwatch& clock, const std::vector<peer>& all) {
    peer best;
    double least = std::numeric_limits<double>::infinity();
    for (const peer& one : all) {
        if (!one.start()) continue;
        const double taken = clock.once_s(one.start, 3);
        if (taken < least) {
            least = taken;
            best = one;
        }
    }
    return best;
}

// Both take turns.
struct times {
    double own_s;
    double other_s;  // 0: there is none

    [[nodiscard]] double ratio() const { return other_s / own_s; }
};
inline times take_turns(stopwatch& clock, const run& own, const peer& other, double turn_s,
                        int turns) {
    const int own_runs = clock.runs_for(own, turn_s);
    const int other_runs = other.start ? clock.runs_for(other.start, turn_s) : 0;
    std::vector<double> own_s;
    std::vector<double> other_s;
    for (int turn = 0; turn < turns; ++turn) {
        own_s.push_back(clock.once_s(own, own_runs));
        if (other.start) other_s.push_back(clock.once_s(other.start, other_runs));
    }
    return {median(own_s), other.start ? median(other_s) : 0};
}

// Log-uniform.
inline double between(std::mt19937_64& random, double low, double high) {
    return std::exp2(
        std::uniform_real_distribution<double>(std::log2(low), std::log2(high))(random));
}
inline std::int64_t size_between(std::mt19937_64& random, double low, double high,
                                 std::int64_t multiple) {
    const std::int64_t x = std::llround(between(random, low, high));
    return std::max(multiple, x / multiple * multiple);
}

// A line of JSON that begins with `what`: fields and a comma. 0 is no ratio.
inline void summarise(const std::string& what, std::vector<double> ratios) {
    std::erase(ratios, 0);
    if (ratios.empty()) return;
    std::ranges::sort(ratios);
    double sum = 0;
    for (const double x : ratios) sum += std::log(x);
    std::printf("{%s\"cases\": %zu, \"geomean\": %.3f, \"p5\": %.3f, \"least\": %.3f}\n",
                what.c_str(), ratios.size(), std::exp(sum / static_cast<double>(ratios.size())),
                ratios[ratios.size() / 20], ratios.front());
    std::fflush(stdout);
}

}  // namespace carat::benchmark
