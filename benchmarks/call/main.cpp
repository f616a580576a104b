// What epilogues, prepared operands and batches of the public call save, compared with what a
// program does without them. The candidates of a case take turns; prints medians as JSON.
//
//   carat_benchmark_call [threads]
//
// Batches are also compared with MKL's if CARAT_PEER_PATH names a folder of its libraries.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <carat/carat.hpp>

#include "core/isa.hpp"
#include "cpu/kernels/micro_kernel.hpp"

namespace {

using namespace carat;

constexpr int rounds = 15;
constexpr double least_round_s = 4e-3;

struct candidate {
    const char* name;
    std::function<void()> run;
};

double seconds(const candidate& c, int times) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) c.run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times;
}

// One line of JSON: the medians of all candidates in microseconds.
void measure(const std::string& what, const std::vector<candidate>& candidates) {
    static bool first = true;
    std::vector<std::vector<double>> times(candidates.size());
    std::vector<int> repeats;
    for (const candidate& c : candidates) {
        c.run();
        repeats.push_back(static_cast<int>(std::max(1.0, least_round_s / seconds(c, 1))));
    }
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < candidates.size(); ++i)
            times[i].push_back(seconds(candidates[i], repeats[i]));
    std::printf("%s  {%s", first ? "" : ",\n", what.c_str());
    first = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        std::ranges::sort(times[i]);
        std::printf(", \"%s_us\": %.3f", candidates[i].name, 1e6 * times[i][rounds / 2]);
    }
    std::printf("}");
    std::fflush(stdout);
}

std::string described(const char* kind, dtype type, std::size_t m, std::size_t n, std::size_t k) {
    return std::string("\"kind\": \"") + kind + "\", \"dtype\": \"" + std::string(name(type)) +
           "\", \"m\": " + std::to_string(m) + ", \"n\": " + std::to_string(n) +
           ", \"k\": " + std::to_string(k);
}

template <class T>
matrix<T> random_matrix(std::size_t rows, std::size_t cols, unsigned seed) {
    matrix<T> m(rows, cols);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = T(uniform(engine));
    return m;
}

template <class T>
T gelu_of(T x) {
    return x / 2 * (1 + std::tanh(T(0.7978845608) * (x + T(0.044715) * x * x * x)));
}

// The library's own steps in a separate pass, a row at a time.
template <class T>
void pass(const epilogue<T>& last, matrix<T>& c) {
    cpu_engine::epilogue_call<T> how;
    how.function = cpu_engine::kernel_of<T>(cpu_engine::kernels_for(core::isa_in_use())).epilogue;
    how.steps = std::span(last.steps().at.data(), last.steps().count);
    const auto cols = static_cast<std::int64_t>(c.cols());
    for (std::size_t i = 0; i < c.rows(); ++i)
        how({&c(i, 0), cols, 1, cols, 0, static_cast<std::int64_t>(i)});
}

template <class T, class U>
void measure_epilogue(const cpu& where, std::size_t m, std::size_t n, std::size_t k) {
    const auto a = random_matrix<U>(m, k, 1);
    const auto b = random_matrix<U>(k, n, 2);
    matrix<T> c(m, n);
    const std::vector<T> add(n, T(0.5));
    const auto own_loop = [&](const auto& f) {
        matrix_product(where, a, b, c);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) c(i, j) = f(c(i, j) + add[j]);
    };
    const auto with_pass = [&](const epilogue<T>& last) {
        matrix_product(where, a, b, c);
        pass(last, c);
    };
    const auto case_of = [&](const char* kind) { return described(kind, dtype_of_v<U>, m, n, k); };
    measure(case_of("bias and relu"),
            {{"product", [&] { matrix_product(where, a, b, c); }},
             {"fused", [&] { matrix_product(where, a, b, c, bias(add) | relu); }},
             {"pass", [&] { with_pass(bias(add) | relu); }},
             {"loop", [&] { own_loop([](T x) { return x < 0 ? T(0) : x; }); }}});
    measure(case_of("bias and gelu"),
            {{"product", [&] { matrix_product(where, a, b, c); }},
             {"fused", [&] { matrix_product(where, a, b, c, bias(add) | gelu); }},
             {"pass", [&] { with_pass(bias(add) | gelu); }},
             {"loop", [&] { own_loop([](T x) { return gelu_of(x); }); }}});
}

template <class T>
void measure_prepared(const cpu& where, std::size_t rows) {
    constexpr std::size_t in = 2048, out = 2048;
    const auto x = random_matrix<T>(rows, in, 1);
    const auto w = random_matrix<T>(in, out, 2);
    const auto weights = prepare(w);
    matrix<T> y(rows, out);
    measure(described("linear layer", dtype_of_v<T>, rows, out, in),
            {{"product", [&] { matrix_product(where, x, w, y); }},
             {"prepared", [&] { matrix_product(where, x, weights, y); }}});
}

// MKL's cblas_dgemm_batch_strided for row-major matrices, or null.
using mkl_batch = void (*)(int, int, int, int, int, int, double, const double*, int, int,
                           const double*, int, int, double, double*, int, int, int);

mkl_batch find_mkl(int threads) {
    const char* folder = std::getenv("CARAT_PEER_PATH");
    if (folder == nullptr) return nullptr;
    setenv("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU", 1);
    for (const char* file :
         {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"}) {
        void* library = dlopen((std::string(folder) + "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        return reinterpret_cast<mkl_batch>(dlsym(library, "cblas_dgemm_batch_strided"));
    }
    return nullptr;
}

void measure_batch(const cpu& where, mkl_batch mkl, std::size_t m, std::size_t n, std::size_t k,
                   std::size_t count) {
    const auto a = random_matrix<double>(count * m, k, 1);
    const auto b = random_matrix<double>(count * k, n, 2);
    matrix<double> c(count * m, n);
    const auto size = [](std::size_t x) { return static_cast<std::ptrdiff_t>(x); };
    const auto as_int = [](std::size_t x) { return static_cast<int>(x); };
    std::vector<candidate> candidates = {
        {"loop",
         [&] {
             for (std::size_t i = 0; i < count; ++i)
                 matrix_product(where, a.view().block(i * m, 0, m, k),
                                b.view().block(i * k, 0, k, n), c.view().block(i * m, 0, m, n));
         }},
        {"batch", [&] {
             matrix_products(where, strided(a.view().block(0, 0, m, k), count, size(m * k)),
                             strided(b.view().block(0, 0, k, n), count, size(k * n)),
                             strided(c.view().block(0, 0, m, n), count, size(m * n)));
         }}};
    constexpr int row_major = 101, as_it_is = 111;
    if (mkl != nullptr)
        candidates.push_back({"mkl", [&] {
                                  mkl(row_major, as_it_is, as_it_is, as_int(m), as_int(n),
                                      as_int(k), 1, a.data(), as_int(k), as_int(m * k), b.data(),
                                      as_int(n), as_int(k * n), 0, c.data(), as_int(n),
                                      as_int(m * n), as_int(count));
                              }});
    measure(described("batch", dtype::f64, m, n, k) + ", \"count\": " + std::to_string(count),
            candidates);
}

}  // namespace

int main(int argc, char** argv) {
    const cpu where{argc > 1 ? std::atoi(argv[1]) : 1};
    std::printf("{\"threads\": %d, \"rounds\": %d, \"isa\": \"%s\", \"cases\": [\n", where.threads,
                rounds, std::string(core::name(core::isa_in_use())).c_str());
    for (const std::size_t k : {256u, 1024u}) {
        measure_epilogue<double, double>(where, 1024, 1024, k);
        measure_epilogue<float, float>(where, 1024, 1024, k);
        measure_epilogue<float, float>(where, 128, 4096, k);
        measure_epilogue<float, bf16>(where, 1024, 1024, k);
    }
    for (const std::size_t rows : {1u, 4u, 16u, 32u, 64u, 256u}) {
        measure_prepared<double>(where, rows);
        measure_prepared<float>(where, rows);
        measure_prepared<bf16>(where, rows);
    }
    const mkl_batch mkl = find_mkl(where.threads);
    measure_batch(where, mkl, 4, 4, 4, 1000);
    measure_batch(where, mkl, 8, 8, 8, 1000);
    measure_batch(where, mkl, 16, 16, 16, 1000);
    measure_batch(where, mkl, 32, 32, 32, 300);
    measure_batch(where, mkl, 64, 64, 64, 100);
    measure_batch(where, mkl, 128, 128, 64, 12);
    measure_batch(where, mkl, 256, 256, 256, 8);
    std::printf("\n]}\n");
}
