/* A kernel as tutorials have it, which knows no leading dimensions, and the eight lines around it:
 * it takes the products whose rows are contiguous, and those are timed then. */
#include <string.h>

static void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    memset(C, 0, sizeof(float) * (size_t)M * (size_t)N);
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k)
            for (int j = 0; j < N; ++j) C[(long)i * N + j] += A[(long)i * K + k] * B[(long)k * N + j];
}

#include <carat/carat_kernel.h>
static int supports(const struct carat_gemm* g) {
    return g->lda == g->k && g->ldb == g->n && g->ldc == g->n;
}
static int run(const struct carat_gemm* g) {
    return matmul(g->a, g->b, g->c, (int)g->m, (int)g->n, (int)g->k), 0;
}
CARAT_KERNEL_EXPORT const struct carat_kernel carat_kernel_v1 = {
    CARAT_KERNEL_VERSION, "contiguous", CARAT_F32, 0, supports, run};
