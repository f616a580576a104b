// Calls dgemm or sgemm of a BLAS some times on squares, column-major, beta = 0. Under a counter of
// instructions the difference of two runs is what the calls took.
//
//     carat_benchmark_instructions LIBRARY f64|f32 N CALLS
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace {

template <class T>
using gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*,
                      const T*, const int*, const T*, const int*, const T*, T*, const int*);

// Sums of small integers are exact, so any wrong product shows.
template <class T>
int multiply(void* function, int n, int calls) {
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<T> a(size), b(size), c(size);
    for (std::size_t i = 0; i < size; ++i) {
        a[i] = static_cast<T>(i % 7) - 3;
        b[i] = static_cast<T>(i % 5) - 2;
    }
    const T one = 1, zero = 0;
    for (int call = 0; call < calls; ++call)
        reinterpret_cast<gemm<T>>(function)("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n,
                                            &zero, c.data(), &n);
    if (calls == 0) return 0;
    const auto last = static_cast<std::size_t>(n) - 1;
    T sum = 0;
    for (std::size_t p = 0; p <= last; ++p)
        sum +=
            a[last + p * static_cast<std::size_t>(n)] * b[p + last * static_cast<std::size_t>(n)];
    if (c[size - 1] == sum) return 0;
    std::fprintf(stderr, "wrong: %g, not %g\n", static_cast<double>(c[size - 1]),
                 static_cast<double>(sum));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: %s LIBRARY f64|f32 N CALLS\n", argv[0]);
        return 2;
    }
    void* const library = dlopen(argv[1], RTLD_NOW);
    const bool is_f64 = std::strcmp(argv[2], "f64") == 0;
    void* const function =
        library == nullptr ? nullptr : dlsym(library, is_f64 ? "dgemm_" : "sgemm_");
    if (function == nullptr) {
        std::fprintf(stderr, "%s: %s\n", argv[1], dlerror());
        return 1;
    }
    if (auto* const core =
            reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename")))
        std::printf("kernels: %s\n", core());
    const int n = std::atoi(argv[3]);
    const int calls = std::atoi(argv[4]);
    return is_f64 ? multiply<double>(function, n, calls) : multiply<float>(function, n, calls);
}
