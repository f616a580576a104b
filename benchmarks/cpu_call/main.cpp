// Products and batches on one thread of a CPU beside a peer's, with any layouts, leading
// dimensions, beta and order of C:
//
//   carat_benchmark_cpu_call [seed [cases [f64|f32|all [products|batches]]]]
//
// Products are compared with OpenBLAS', batches with MKL's gemm_batch_strided, or with OpenBLAS'
// where there is no MKL; CARAT_PEER_PATH names their folders. Each case is verified, and is a line
// of JSON. Both sides take turns of the thread's own time, so that what else the machine does
// counts little; the ratio, the peer's time by carat's, is the median of those of the rounds. A
// last line has the geometric mean, the fifth percentile and the worst ten.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <carat/carat.hpp>

#include "benchmarks/cpu_call/peers.hpp"
#include "lab/statistics/summary.hpp"

namespace {

using namespace carat;
using benchmark::call_case;
using benchmark::placed;

constexpr int rounds = 21;
constexpr double turn_s = 1e-3;

template <class T>
struct operand {
    std::vector<T> values;
    placed how;
    std::size_t rows = 0, cols = 0;
    std::int64_t step = 0;  // from one matrix to the next

    operand(const placed& lines, std::int64_t m, std::int64_t n, std::int64_t count,
            std::mt19937_64& random)
        : how(lines),
          rows(static_cast<std::size_t>(m)),
          cols(static_cast<std::size_t>(n)),
          step((how.by_rows ? m : n) * how.lead) {
        std::uniform_real_distribution<T> uniform(-1, 1);
        values.resize(static_cast<std::size_t>(step * count));
        for (T& x : values) x = uniform(random);
    }
    [[nodiscard]] matrix_view<T> view(std::int64_t i = 0) {
        return {values.data() + i * step, rows, cols, how.by_rows ? how.lead : 1,
                how.by_rows ? 1 : how.lead};
    }
};

template <class T>
struct operands {
    call_case one;
    operand<T> a, b, c;

    operands(const call_case& wanted, std::mt19937_64& random)
        : one(wanted),
          a(one.a, one.m, one.k, one.count, random),
          b(one.b, one.k, one.n, one.count, random),
          c(one.c, one.m, one.n, one.count, random) {}

    void multiply() {
        const cpu where{1};
        if (one.count == 1)
            return matrix_product(where, a.view(), b.view(), scaled(one.beta, c.view()), c.view());
        const auto count = static_cast<std::size_t>(one.count);
        const auto to = strided(c.view(), count, c.step);
        matrix_products(where, strided(a.view(), count, a.step), strided(b.view(), count, b.step),
                        strided(scaled(one.beta, c.view()), count, c.step), to);
    }
    void multiply(const benchmark::peer<T>& other) {
        const auto as_int = [](std::int64_t x) { return static_cast<int>(x); };
        other(one, a.values.data(), as_int(a.step), b.values.data(), as_int(b.step),
              c.values.data(), as_int(c.step));
    }
};

// Whether some elements of C are within the bound of rounding, and none between its lines has
// changed.
template <class T>
bool is_right(operands<T>& x, std::vector<T> before, std::mt19937_64& random) {
    const call_case& one = x.one;
    std::vector<T> left = x.c.values;
    const auto pick = [&](std::int64_t end) {
        return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random);
    };
    for (int sample = 0; sample < 200; ++sample) {
        const std::int64_t of = pick(one.count), i = pick(one.m), j = pick(one.n);
        const auto at = [](auto view, std::int64_t row, std::int64_t col) {
            return static_cast<long double>(
                view(static_cast<std::size_t>(row), static_cast<std::size_t>(col)));
        };
        matrix_view<T> old = x.c.view(of);
        old = {before.data() + (old.data() - x.c.values.data()), old.rows(), old.cols(),
               old.row_stride(), old.col_stride()};
        long double sum = one.beta * at(old, i, j);
        long double size = std::fabs(sum);
        for (std::int64_t p = 0; p < one.k; ++p) {
            const long double term = at(x.a.view(of), i, p) * at(x.b.view(of), p, j);
            sum += term, size += std::fabs(term);
        }
        const long double bound =
            static_cast<long double>(one.k + 4) * std::numeric_limits<T>::epsilon() / 2 * size;
        if (!(std::fabs(at(x.c.view(of), i, j) - sum) <= bound)) return false;
    }
    const std::int64_t used = one.c.by_rows ? one.n : one.m;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (static_cast<std::int64_t>(i) % one.c.lead >= used && left[i] != before[i]) return false;
    return true;
}

// Of this thread, so that others' turns on the core don't count.
double now_s() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Run>
double seconds(const Run& run, int times) {
    const double start = now_s();
    for (int i = 0; i < times; ++i) run();
    return (now_s() - start) / times;
}

template <class Run>
int times_for(const Run& run) {
    run();
    return static_cast<int>(std::clamp(turn_s / std::max(seconds(run, 2), 1e-8), 1.0, 1e5));
}

struct outcome {
    std::string line;
    double ratio;
};

std::string described(const placed& x, const char* name) {
    return std::string("\"") + name + "\": \"" + (x.by_rows ? "rows " : "columns ") +
           std::to_string(x.lead) + "\"";
}

template <class T>
outcome measure(const call_case& one, const benchmark::peer<T>& other, std::mt19937_64& random) {
    operands<T> x(one, random);
    const std::vector<T> before = x.c.values;
    x.multiply();
    if (!is_right(x, before, random)) return {"", 0};
    const auto own = [&] { x.multiply(); };
    const auto its = [&] { x.multiply(other); };
    const int own_times = times_for(own), its_times = times_for(its);
    std::vector<double> own_s, its_s, ratios;
    for (int round = 0; round < rounds; ++round) {
        own_s.push_back(seconds(own, own_times));
        its_s.push_back(seconds(its, its_times));
        ratios.push_back(its_s.back() / own_s.back());
        x.c.values = before;
    }
    const double flop =
        2.0 * static_cast<double>(one.m * one.n) * static_cast<double>(one.k * one.count);
    char text[320];
    std::snprintf(text, sizeof text,
                  "{\"type\": \"%s\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"count\": %lld, %s, "
                  "%s, %s, \"beta\": %g, \"carat_us\": %.3f, \"peer_us\": %.3f, "
                  "\"carat_gflops\": %.2f, \"ratio\": %.3f}",
                  sizeof(T) == 8 ? "f64" : "f32", static_cast<long long>(one.m),
                  static_cast<long long>(one.n), static_cast<long long>(one.k),
                  static_cast<long long>(one.count), described(one.a, "a").c_str(),
                  described(one.b, "b").c_str(), described(one.c, "c").c_str(), one.beta,
                  1e6 * statistics::median(own_s), 1e6 * statistics::median(its_s),
                  1e-9 * flop / statistics::median(own_s), statistics::median(ratios));
    return {text, statistics::median(ratios)};
}

void summarise(const char* type, const std::string& peer, std::vector<outcome> all) {
    std::ranges::sort(all, {}, &outcome::ratio);
    double sum = 0;
    for (const outcome& one : all) sum += std::log(one.ratio);
    std::printf(
        "{\"type\": \"%s\", \"peer\": \"%s\", \"cases\": %zu, \"geomean\": %.3f, \"p5\": "
        "%.3f, \"least\": %.3f, \"worst\": [",
        type, peer.c_str(), all.size(), std::exp(sum / static_cast<double>(all.size())),
        all[all.size() / 20].ratio, all.front().ratio);
    for (std::size_t i = 0; i < std::min<std::size_t>(10, all.size()); ++i)
        std::printf("%s\n  %s", i == 0 ? "" : ",", all[i].line.c_str());
    std::printf("]}\n");
}

template <class T>
bool measure_all(const char* type, std::uint64_t seed, long long cases, bool batches) {
    std::string why;
    benchmark::peer<T> other;
    if (batches) other = benchmark::mkl<T>(why);
    if (other.gemm == nullptr) other = benchmark::openblas<T>(why);
    if (other.gemm == nullptr || (batches && other.batch == nullptr)) {
        std::fprintf(stderr, "carat_benchmark_cpu_call: %s\n",
                     why.empty() ? "this OpenBLAS has no gemm_batch_strided" : why.c_str());
        return false;
    }
    benchmark::drawing draw(seed);
    std::vector<outcome> all;
    for (long long i = 0; i < cases; ++i) {
        const call_case one = batches ? draw.batch() : draw.product();
        all.push_back(measure<T>(one, other, draw.engine()));
        if (all.back().ratio == 0) {
            std::fprintf(stderr, "carat_benchmark_cpu_call: case %lld of %s is wrong\n", i, type);
            return false;
        }
        std::printf("%s\n", all.back().line.c_str());
        std::fflush(stdout);
    }
    summarise(type, other.name, all);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const auto word = [&](int i, const char* otherwise) {
        return std::string_view(argc > i ? argv[i] : otherwise);
    };
    const long long seed = std::atoll(word(1, "1").data());
    const long long cases = std::atoll(word(2, "100").data());
    const std::string_view type = word(3, "all");
    const std::string_view what = word(4, "products");
    if (cases < 1 || (type != "all" && type != "f64" && type != "f32") ||
        (what != "products" && what != "batches")) {
        std::fprintf(stderr,
                     "carat_benchmark_cpu_call [seed [cases [f64|f32|all "
                     "[products|batches]]]], with cases of at least 1\n");
        return 2;
    }
    const bool batches = what == "batches";
    const auto start = static_cast<std::uint64_t>(seed);
    if (type != "f32" && !measure_all<double>("f64", start, cases, batches)) return 2;
    if (type != "f64" && !measure_all<float>("f32", start, cases, batches)) return 2;
    return 0;
}
