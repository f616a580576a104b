#include "stress.hpp"

#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

#include <carat/carat.hpp>

#include "gpu_worker.hpp"

namespace carat::fuzz {

namespace {

constexpr std::size_t threads = 6;
constexpr std::size_t products_of_thread = 16;
constexpr std::size_t times = 6;
constexpr std::size_t calls_of_case = threads * products_of_thread * (times + times);
constexpr std::size_t most_elements = std::size_t{1} << 22;  // of a matrix
constexpr double most_work = 4e9;                            // multiplications of a product

// A matrix of at most `most_elements` in `bytes` of memory.
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

// The product that one thread repeats.
struct stressed_product {
    placed_matrix a, b, e, c;
    bool adds = false;
    bool batch_invariant = false;
    f32_as f32 = f32_as::f32;
};

std::size_t draw_length(random_numbers& random, double most) {
    return static_cast<std::size_t>(std::exp2(random.uniform(0, std::log2(most))));
}

// Most of them, or their lines, are not aligned to 16 bytes.
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
    p.batch_invariant = !random.chance(4);
    p.f32 = random.pick({f32_as::f32, f32_as::three_tf32, f32_as::tf32});
    return p;
}

template <class A, class B, class C>
void start(const stressed_product& p, const gpu_worker& on, cudaStream_t stream) {
    const cuda place{.stream = stream, .batch_invariant = p.batch_invariant, .f32 = p.f32};
    const auto& [a, b, e, c] = on.of_matrices;
    if (p.adds)
        matrix_product(place, p.a.view<const A>(a), p.b.view<const B>(b), p.e.view<const C>(e),
                       p.c.view<C>(c));
    else
        matrix_product(place, p.a.view<const A>(a), p.b.view<const B>(b), p.c.view<C>(c));
}

using start_product = void (*)(const stressed_product&, const gpu_worker&, cudaStream_t);
constexpr std::array<start_product, 9> starts = {
    start<bf16, bf16, bf16>,       start<bf16, bf16, float>,
    start<f16, f16, f16>,          start<float, float, float>,
    start<double, double, double>, start<e4m3, e4m3, bf16>,
    start<e5m2, e4m3, float>,      start<std::int8_t, std::int8_t, std::int32_t>,
    start<f16, f16, float>};

// Capturing leaves the stream as it was, even if it throws.
template <class Work>
cudaGraphExec_t captured(cudaStream_t stream, const Work& work) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "a capture");
    std::exception_ptr failed;
    try {
        work();
    } catch (...) {
        failed = std::current_exception();
    }
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    if (failed) std::rethrow_exception(failed);
    must(ended, "a capture's end");
    must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    must(cudaGraphDestroy(graph), "a graph");
    return ready;
}

struct started_product {
    stressed_product of;
    start_product start = nullptr;
};

// Starts each product six times on random streams, then six times as a graph: alone, or all
// products of a case together.
void start_all(random_numbers& random, gpu_worker& on) {
    const std::array<cudaStream_t, 6> streams = {on.streams[1],    on.streams[2],
                                                 on.streams[3],    on.of_oracle,
                                                 cudaStreamLegacy, cudaStreamPerThread};
    const auto any_stream = [&] { return streams[random.below(streams.size())]; };
    const auto run_graph = [&](std::span<const started_product> products) {
        cudaGraphExec_t const graph = captured(streams[0], [&] {
            for (const started_product& p : products) p.start(p.of, on, streams[0]);
        });
        for (std::size_t i = 0; i < times; ++i)
            must(cudaGraphLaunch(graph, any_stream()), "a graph's run");
        must(cudaGraphExecDestroy(graph), "a graph");
    };
    const bool each_alone = random.chance(2);
    std::array<started_product, products_of_thread> all;
    for (started_product& p : all) {
        p = {draw_product(random), starts[random.below(starts.size())]};
        for (std::size_t i = 0; i < times; ++i) p.start(p.of, on, any_stream());
        if (each_alone) run_graph({&p, 1});
    }
    if (!each_alone) run_graph(all);
}

std::string run_thread(std::uint64_t seed, std::uint64_t number) {
    random_numbers random(seed, number);
    try {
        gpu_worker& on = own_worker();
        for (device_bytes& bytes : on.of_matrices) bytes.reserve((most_elements + 16) * 8);
        start_all(random, on);
    } catch (const std::exception& e) {
        return e.what();
    }
    return {};
}

// The threads persist from one case to the next, as each has its own default stream.
class crew {
  public:
    crew() {
        for (std::size_t t = 0; t < threads; ++t) std::thread([this, t] { work(t); }).detach();
    }
    // The message of the first thread that failed.
    std::string run(std::uint64_t seed, std::uint64_t number) {
        seed_ = seed;
        number_ = number;
        begins_.arrive_and_wait();
        ended_.arrive_and_wait();
        const auto failed = std::ranges::find_if(wrong_, [](const auto& w) { return !w.empty(); });
        return failed == wrong_.end() ? std::string() : *failed;
    }

  private:
    void work(std::size_t t) {
        become_worker(t);
        for (;;) {
            begins_.arrive_and_wait();
            wrong_[t] = run_thread(seed_, number_ * threads + t);
            ended_.arrive_and_wait();
        }
    }

    std::barrier<> begins_{threads + 1};
    std::barrier<> ended_{threads + 1};
    std::array<std::string, threads> wrong_;
    std::uint64_t seed_ = 0;
    std::uint64_t number_ = 0;
};

std::string run(std::uint64_t seed, std::uint64_t number, const surroundings& in, tally& count) {
    static std::mutex one_at_a_time;  // of the threads that run cases
    static auto& all = *new crew;
    tell_description(in, "six threads of calls and graphs");
    const std::scoped_lock lock(one_at_a_time);
    if (std::string wrong = all.run(seed, number); !wrong.empty()) return wrong;
    count.cases += calls_of_case;
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
