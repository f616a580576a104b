#include "benchmarks/cpu_call/peers.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include "vendor/common/shared_library.hpp"

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
peer<T> functions_of(const vendor::shared_library& file, const std::string& prefix) {
    peer<T> found;
    found.gemm = file.required<typename peer<T>::gemm_function>(symbol<T>(prefix, "gemm").c_str());
    found.batch = file.function<typename peer<T>::batch_function>(
        symbol<T>(prefix, "gemm_batch_strided").c_str());
    return found;
}

}  // namespace

template <class T>
void peer<T>::operator()(const call_case& one, const T* a, int a_step, const T* b, int b_step, T* c,
                         int c_step) const {
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
peer<T> openblas(std::string& why) {
    // Wheels have names of their own for the file and for what it exports.
    static constexpr std::array<std::string_view, 3> files = {"libscipy_openblas.so",
                                                              "libopenblas.so.0", "libopenblas.so"};
    peer<T> found;
    why = vendor::open_first(
        {"OpenBLAS", files, "apt install libopenblas0-openmp"},
        [&](const vendor::shared_library& file) {
            const std::string prefix = file.exports("scipy_cblas_dgemm") ? "scipy_" : "";
            file.required<void(int)>((prefix + "openblas_set_num_threads").c_str())(1);
            found = functions_of<T>(file, prefix);
            using text = const char*();
            found.name = file.required<text>((prefix + "openblas_get_config").c_str())();
            found.name = found.name.substr(0, found.name.find(' ', found.name.find(' ') + 1));
            found.name += std::string(" ") +
                          file.required<text>((prefix + "openblas_get_corename").c_str())();
        });
    return found;
}

template <class T>
peer<T> mkl(std::string& why) {
    static constexpr std::array<std::string_view, 3> files = {"libmkl_rt.so.3", "libmkl_rt.so.2",
                                                              "libmkl_rt.so"};
    setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 1);
    peer<T> found;
    why =
        vendor::open_first({"MKL", files, "./dev peers"}, [&](const vendor::shared_library& file) {
            found = functions_of<T>(file, "");
            found.name = "MKL";
        });
    return found;
}

template struct peer<double>;
template struct peer<float>;
template peer<double> openblas(std::string&);
template peer<float> openblas(std::string&);
template peer<double> mkl(std::string&);
template peer<float> mkl(std::string&);

}  // namespace carat::benchmark
