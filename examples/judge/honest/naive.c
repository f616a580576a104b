/* The shortest kernel that `carat judge` takes: three loops. */
#include <carat/carat_kernel.h>

static int run(const struct carat_gemm* g) {
    const double* a = g->a;
    const double* b = g->b;
    double* c = g->c;
    for (int64_t i = 0; i < g->m; ++i) {
        for (int64_t j = 0; j < g->n; ++j) c[i * g->ldc + j] = 0;
        for (int64_t p = 0; p < g->k; ++p)
            for (int64_t j = 0; j < g->n; ++j)
                c[i * g->ldc + j] += a[i * g->lda + p] * b[p * g->ldb + j];
    }
    return 0;
}

CARAT_KERNEL_EXPORT const struct carat_kernel carat_kernel_v1 = {
    CARAT_KERNEL_VERSION, "naive", CARAT_F64, 0, 0, run};
