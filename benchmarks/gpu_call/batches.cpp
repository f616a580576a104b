// Strided batches of carat::matrix_products beside cuBLAS: carat_benchmark_batches [seed [cases
// [type|all [multiple]]]]. Sizes are drawn from 16 to 2048, in multiples of `multiple`, and 4 to
// 1024 products, evenly by their logarithms. A case is a line of JSON: ratio is cuBLAS' time, the
// least of cublasGemmStridedBatchedEx and of what cuBLASLt's heuristics propose, divided by
// carat's. A line with the geometric mean and the fifth percentile ends each type.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <carat/carat.hpp>

#include "benchmarks/gpu_call/batch_peers.hpp"

namespace {

using namespace carat;
using benchmark::peer;
using sizes = benchmark::batch_sizes;

void must(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "carat_benchmark_batches: %s\n", cudaGetErrorString(status));
    std::exit(2);
}

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

// Memory on the GPU, full of random numbers where they are read.
class memory {
  public:
    explicit memory(std::size_t bytes) : bytes_(bytes) { must(cudaMalloc(&data_, bytes)); }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    ~memory() { cudaFree(data_); }

    void fill(dtype type, std::mt19937_64& random) {
        std::vector<unsigned char> some(std::min<std::size_t>(bytes_, std::size_t{1} << 22));
        std::uniform_real_distribution<double> uniform(-1, 1);
        const std::size_t each = size_bytes(type);
        for (std::size_t at = 0; at + each <= some.size(); at += each)
            put(type, uniform(random), some.data() + at);
        for (std::size_t at = 0; at < bytes_; at += some.size())
            must(cudaMemcpy(static_cast<unsigned char*>(data_) + at, some.data(),
                            std::min(some.size(), bytes_ - at), cudaMemcpyHostToDevice));
    }
    [[nodiscard]] void* get() const { return data_; }

  private:
    template <class T>
    static void put_as(T x, unsigned char* to) {
        std::memcpy(to, &x, sizeof x);
    }
    static void put(dtype type, double x, unsigned char* to) {
        if (type == dtype::f64) put_as(x, to);
        if (type == dtype::f32) put_as(static_cast<float>(x), to);
        if (type == dtype::f16) put_as(f16(x), to);
        if (type == dtype::bf16) put_as(bf16(x), to);
        if (type == dtype::e4m3) put_as(e4m3(x), to);
        if (type == dtype::i8) put_as(static_cast<std::int8_t>(8 * x), to);
    }

    void* data_ = nullptr;
    std::size_t bytes_;
};

// B by columns where elements of 8 bits are multiplied: cuBLAS takes no other.
core::problem problem_of(const track& t, const sizes& s) {
    core::problem p = core::row_major_problem(t.in, s.m, s.n, s.k);
    p.c_type = t.out;
    if (is_fp8(t.in) || is_byte_integer(t.in)) p.b_layout = core::column_major(s.k);
    return p;
}

using run = std::function<bool()>;  // false: it can't

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

// For some milliseconds, the median of a few.
class stopwatch {
  public:
    stopwatch() {
        for (cudaEvent_t& e : events_) must(cudaEventCreate(&e));
    }
    double once_s(const run& what, int runs) {
        must(cudaEventRecord(events_[0], stream()));
        for (int i = 0; i < runs; ++i)
            if (!what()) return std::numeric_limits<double>::infinity();
        must(cudaEventRecord(events_[1], stream()));
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
    static cudaStream_t stream() { return benchmark::peer_stream(); }

  private:
    std::array<cudaEvent_t, 2> events_{};
};

double median(std::vector<double> x) {
    std::ranges::nth_element(x, x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
    return x[x.size() / 2];
}

// The fastest of all that work.
peer fastest_peer(stopwatch& clock, const std::vector<peer>& all) {
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

// Both take turns. The ratio; nothing where cuBLAS has no kernel.
double measure(stopwatch& clock, const track& t, const sizes& s, std::mt19937_64& random) {
    constexpr double turn_s = 5e-3;
    constexpr int turns = 7;
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
    const int own_runs = clock.runs_for(own, turn_s);
    const int other_runs = other.start ? clock.runs_for(other.start, turn_s) : 0;
    std::vector<double> own_s, other_s;
    for (int turn = 0; turn < turns; ++turn) {
        own_s.push_back(clock.once_s(own, own_runs));
        if (other.start) other_s.push_back(clock.once_s(other.start, other_runs));
    }
    const double ratio = other.start ? median(other_s) / median(own_s) : 0;
    const double flop = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k * s.count);
    std::printf(
        "{\"type\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"count\": %lld, "
        "\"carat_us\": %.2f, \"peer_us\": %.2f, \"peer\": \"%s\", \"carat_tflops\": %.2f, "
        "\"ratio\": %.3f}\n",
        std::string(t.name).c_str(), static_cast<long long>(s.m), static_cast<long long>(s.n),
        static_cast<long long>(s.k), static_cast<long long>(s.count), 1e6 * median(own_s),
        other.start ? 1e6 * median(other_s) : 0, other.name.c_str(), 1e-12 * flop / median(own_s),
        ratio);
    std::fflush(stdout);
    return ratio;
}

// No more than 2 GiB and half a second of work.
sizes drawn(std::mt19937_64& random, std::int64_t multiple) {
    const auto between = [&](double low, double high) {
        return std::exp2(
            std::uniform_real_distribution<double>(std::log2(low), std::log2(high))(random));
    };
    const auto size = [&] {
        const auto x = static_cast<std::int64_t>(std::llround(between(16, 2048)));
        return std::max(multiple, x / multiple * multiple);
    };
    while (true) {
        const sizes s{size(), size(), size(), std::llround(between(4, 1024))};
        const auto elements = static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
        const auto work = static_cast<double>(s.m * s.n) * static_cast<double>(s.k);
        const auto count = static_cast<double>(s.count);
        if (elements * count * 8 <= 0x1p31 && 2 * work * count <= 2e12) return s;
    }
}

void summarise(std::string_view type, std::vector<double> ratios) {
    std::erase(ratios, 0);
    if (ratios.empty()) return;
    std::ranges::sort(ratios);
    double sum = 0;
    for (const double x : ratios) sum += std::log(x);
    std::printf(
        "{\"type\": \"%s\", \"cases\": %zu, \"geomean\": %.3f, \"p5\": %.3f, "
        "\"least\": %.3f}\n",
        std::string(type).c_str(), ratios.size(),
        std::exp(sum / static_cast<double>(ratios.size())), ratios[ratios.size() / 20],
        ratios.front());
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
    stopwatch clock;
    for (const track& t : tracks) {
        if (only != "all" && only != t.name) continue;
        std::mt19937_64 random(seed);
        std::vector<double> ratios;
        // 8 bits: TMA and cuBLAS want multiples of 16.
        const bool of_bytes = size_bytes(t.in) == 1 && multiple > 1;
        for (long long i = 0; i < cases; ++i)
            ratios.push_back(measure(
                clock, t, drawn(random, of_bytes ? std::max(16LL, multiple) : multiple), random));
        summarise(t.name, ratios);
    }
    return 0;
}
