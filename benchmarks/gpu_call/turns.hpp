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
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <carat/types.hpp>

#include "benchmarks/gpu_call/graph_kernels.hpp"
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

    [[nodiscard]] cudaStream_t stream() const { return stream_; }

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

// So many runs captured into one graph; null where they can't be.
inline std::shared_ptr<CUgraph_st> captured(const run& what, int runs, cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    bool works = true;
    for (int i = 0; i < runs; ++i) works = what() && works;
    const bool ended = cudaStreamEndCapture(stream, &graph) == cudaSuccess;
    if (!ended || !works) cudaGetLastError();
    if (graph == nullptr) return nullptr;
    std::shared_ptr<CUgraph_st> kept(graph, cudaGraphDestroy);
    return ended && works ? kept : nullptr;
}

// The kernels of one run and whether they overlap in a graph of two.
inline std::string kernels_of(const run& what, cudaStream_t stream) {
    if (!what) return "";
    const auto one = captured(what, 1, stream);
    const auto two = captured(what, 2, stream);
    if (!one || !two) return "";
    return kernels_of(one.get()) +
           (programmatic_edges(two.get()) > programmatic_edges(one.get()) ? ", calls overlap" : "");
}

// So many runs in one graph, which the host starts at once: it has no part in what they take. Null:
// they can't be captured.
inline run replayed(const run& what, int runs, cudaStream_t stream) {
    const auto graph = captured(what, runs, stream);
    cudaGraphExec_t ready = nullptr;
    if (!graph || cudaGraphInstantiate(&ready, graph.get(), 0) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    const std::shared_ptr<CUgraphExec_st> kept(ready, cudaGraphExecDestroy);
    return [kept, stream] { return cudaGraphLaunch(kept.get(), stream) == cudaSuccess; };
}

// The same as take_turns(), replayed: what the GPU takes.
inline times take_turns_on_gpu(stopwatch& clock, const run& own, const peer& other, double turn_s,
                               int turns) {
    constexpr double graph_s = 2e-4;
    const auto replays = [&](const run& what, int& runs) {
        runs = what ? std::min(50, clock.runs_for(what, graph_s)) : 1;
        return what ? replayed(what, runs, clock.stream()) : nullptr;
    };
    int own_runs = 1;
    int other_runs = 1;
    const run own_graph = replays(own, own_runs);
    const run other_graph = replays(other.start, other_runs);
    if (!own_graph || !other_graph) return {1, 0};
    const times taken = take_turns(clock, own_graph, {other_graph, other.name}, turn_s, turns);
    return {taken.own_s / own_runs, taken.other_s / other_runs};
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

// What a track took as calls, and as graphs replayed it.
struct both_times {
    times calls;
    times graphs;
};
inline both_times take_both(stopwatch& clock, const run& own, const peer& other, double turn_s,
                            int turns) {
    return {take_turns(clock, own, other, turn_s, turns),
            take_turns_on_gpu(clock, own, other, turn_s, turns)};
}
class track_ratios {
  public:
    void add(const both_times& taken) {
        calls_.push_back(taken.calls.ratio());
        graphs_.push_back(taken.graphs.ratio());
    }
    // A line for each.
    void summarise(const std::string& what) const {
        benchmark::summarise(what + "\"timed\": \"calls\", ", calls_);
        benchmark::summarise(what + "\"timed\": \"graphs\", ", graphs_);
    }

  private:
    std::vector<double> calls_;
    std::vector<double> graphs_;
};
// Fields of a case's line, from its time to the two ratios.
inline std::string text_of(const both_times& taken, const std::string& peer_name) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "\"carat_us\": %.2f, \"peer_us\": %.2f, \"peer\": \"%s\", \"ratio\": %.3f, "
                  "\"graph_us\": [%.2f, %.2f], \"graph_ratio\": %.3f",
                  1e6 * taken.calls.own_s, 1e6 * taken.calls.other_s, peer_name.c_str(),
                  taken.calls.ratio(), 1e6 * taken.graphs.own_s, 1e6 * taken.graphs.other_s,
                  taken.graphs.ratio());
    return text;
}

}  // namespace carat::benchmark
