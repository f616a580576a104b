// An OpenBLAS that fails as CARAT_TEST_FAULT says: "load" crashes when it is opened, "first" in its
// first product, "exit" exits there, "lesser" reports an old kernel; otherwise it multiplies and
// prints unwanted output.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

bool fault(std::string_view name) {
    const char* wanted = std::getenv("CARAT_TEST_FAULT");
    return wanted != nullptr && wanted == name;
}

void crash() {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
}

[[gnu::constructor]] void load() {
    if (fault("load")) crash();
}

template <class T>
void multiply(const char* transa, const char* transb, const int* m, const int* n, const int* k,
              const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta,
              T* c, const int* ldc) {
    if (fault("first")) crash();
    if (fault("exit")) std::exit(3);
    std::puts("{\"time_s\": 0}");
    std::fflush(stdout);
    const auto at = [](const T* x, int ld, bool transposed, int i, int j) {
        return transposed ? x[j + i * ld] : x[i + j * ld];
    };
    const bool ta = *transa != 'N' && *transa != 'n', tb = *transb != 'N' && *transb != 'n';
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            T sum = 0;
            for (int p = 0; p < *k; ++p) sum += at(a, *lda, ta, i, p) * at(b, *ldb, tb, p, j);
            T& out = c[i + j * *ldc];
            out = *alpha * sum + (*beta == 0 ? 0 : *beta * out);
        }
}

}  // namespace

extern "C" {

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc) {
    multiply(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc) {
    multiply(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
const char* openblas_get_config() {
    return "OpenBLAS 9.9.9 NO_AFFINITY";
}
const char* openblas_get_corename() {
    return fault("lesser") ? "Prescott" : "Haswell";
}
int openblas_get_parallel() {
    return 0;
}
}
