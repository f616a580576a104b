#include "benchmarks/cpu_call/peers.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "lab/vendor/common/shared_library.hpp"

namespace carat::benchmark {

namespace {

constexpr int rows_first = 101;
constexpr int columns_first = 102;
constexpr int as_it_is = 111;
constexpr int transposed = 112;

template <class T>
std::string symbol(const std::string& prefix, const char* rest) {
    return prefix + "cblas_" + (sizeof(T) == 8 ? "d" : "s") + rest;
}

template <class T>
void take_blas(const vendor::shared_library& file, const std::string& prefix, peer<T>& found) {
    found.gemm = file.required<typename peer<T>::gemm_function>(symbol<T>(prefix, "gemm").c_str());
    found.batch = file.function<typename peer<T>::batch_function>(
        symbol<T>(prefix, "gemm_batch_strided").c_str());
}

template <class T>
void open_openblas(const vendor::shared_library& file, peer<T>& found) {
    const std::string prefix = file.exports("scipy_cblas_dgemm") ? "scipy_" : "";
    file.required<void(int)>((prefix + "openblas_set_num_threads").c_str())(found.threads);
    take_blas(file, prefix, found);
    using text = const char*();
    found.name = file.required<text>((prefix + "openblas_get_config").c_str())();
    found.name = found.name.substr(0, found.name.find(' ', found.name.find(' ') + 1));
    found.name +=
        std::string(" ") + file.required<text>((prefix + "openblas_get_corename").c_str())();
}

template <class T>
void open_libxsmm(const vendor::shared_library& file, peer<T>& found) {
    if (file.exports("libxsmm_dispatch_gemm"))
        throw vendor::rejected("is version 2, whose functions take other arguments");
    found.dispatch = file.required<typename peer<T>::dispatch_function>(
        sizeof(T) == 8 ? "libxsmm_dmmdispatch" : "libxsmm_smmdispatch");
    file.required<void()>("libxsmm_init")();
    const std::string path = file.path();
    found.name = path.substr(path.rfind('/') + 1) + " " +
                 file.required<const char*()>("libxsmm_get_target_arch")();
}

}  // namespace

template <class T>
bool peer<T>::prepare(const call_case& one) {
    if (dispatch == nullptr) return true;
    const auto as_int = [](std::int64_t x) { return static_cast<int>(x); };
    // A row-major C transposed is B transposed times A transposed.
    const bool swapped = one.c.by_rows;
    const int lda = as_int(swapped ? one.b.lead : one.a.lead);
    const int ldb = as_int(swapped ? one.a.lead : one.b.lead);
    const int ldc = as_int(one.c.lead);
    const T alpha{1};
    const auto beta = static_cast<T>(one.beta);
    const int plain = 0;
    generated = dispatch(as_int(swapped ? one.n : one.m), as_int(swapped ? one.m : one.n),
                         as_int(one.k), &lda, &ldb, &ldc, &alpha, &beta, &plain, &plain);
    return generated != nullptr;
}

// Its batches are calls of one kernel, as in its own samples.
template <class T>
void peer<T>::loop(const call_case& one, const T* a, std::int64_t a_step, const T* b,
                   std::int64_t b_step, T* c, std::int64_t c_step) const {
    if (one.c.by_rows) std::swap(a, b), std::swap(a_step, b_step);
    const std::int64_t count = one.count;
    generated_function* const run = generated;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::int64_t i = 0; i < count; ++i) run(a + i * a_step, b + i * b_step, c + i * c_step);
}

template <class T>
void peer<T>::operator()(const call_case& one, const T* a, int a_step, const T* b, int b_step, T* c,
                         int c_step) const {
    if (generated != nullptr) return loop(one, a, a_step, b, b_step, c, c_step);
    const auto turn = [&](const placed& x) {
        return x.by_rows == one.c.by_rows ? as_it_is : transposed;
    };
    const auto as_int = [](std::int64_t x) { return static_cast<int>(x); };
    const int order = one.c.by_rows ? rows_first : columns_first;
    if (one.count == 1)
        return gemm(order, turn(one.a), turn(one.b), as_int(one.m), as_int(one.n), as_int(one.k),
                    T{1}, a, as_int(one.a.lead), b, as_int(one.b.lead), static_cast<T>(one.beta), c,
                    as_int(one.c.lead));
    batch(order, turn(one.a), turn(one.b), as_int(one.m), as_int(one.n), as_int(one.k), T{1}, a,
          as_int(one.a.lead), a_step, b, as_int(one.b.lead), b_step, static_cast<T>(one.beta), c,
          as_int(one.c.lead), c_step, as_int(one.count));
}

template <class T>
peer<T> open_peer(std::string_view name, int threads, std::string& why) {
    static constexpr std::array<std::string_view, 3> of_openblas = {
        "libscipy_openblas.so", "libopenblas.so.0", "libopenblas.so"};
    static constexpr std::array<std::string_view, 3> of_mkl = {"libmkl_rt.so.3", "libmkl_rt.so.2",
                                                               "libmkl_rt.so"};
    static constexpr std::array<std::string_view, 2> of_libxsmm = {"libxsmm.so.1", "libxsmm.so"};
    peer<T> found;
    found.threads = threads;
    if (name == "openblas") {
        why = vendor::open_first({"OpenBLAS", of_openblas, "apt install libopenblas0-openmp"},
                                 [&](const auto& file) { open_openblas(file, found); });
    } else if (name == "mkl") {
        setenv("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU", 1);
        setenv("MKL_NUM_THREADS", std::to_string(threads).c_str(), 1);
        why = vendor::open_first({"MKL", of_mkl, "./dev peers"}, [&](const auto& file) {
            take_blas(file, "", found);
            found.name = "MKL";
        });
    } else {
        why = vendor::open_first({"libxsmm", of_libxsmm, "./dev peers"},
                                 [&](const auto& file) { open_libxsmm(file, found); });
    }
    return found;
}

template struct peer<double>;
template struct peer<float>;
template peer<double> open_peer(std::string_view, int, std::string&);
template peer<float> open_peer(std::string_view, int, std::string&);

}  // namespace carat::benchmark
