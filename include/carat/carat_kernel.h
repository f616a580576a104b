/* What a matrix product of yours must export for `carat judge` to try it. Plain C, no library to
 * link; docs/judge.md has an example of each language.
 *
 *     C = alpha A B + beta C        A: m x k, B: k x n, C: m x n, all by rows
 *
 * Row i of A begins at element i * lda; lda >= k, ldb >= n, ldc >= n. Elements between the rows and
 * around the matrices belong to somebody else. A kernel exports one constant:
 *
 *     static int run(const struct carat_gemm* g) { ...; return 0; }
 *     CARAT_KERNEL_EXPORT const struct carat_kernel carat_kernel_v1 = {
 *         CARAT_KERNEL_VERSION, "mine", CARAT_F64, 0, 0, run};
 */
#ifndef CARAT_KERNEL_H
#define CARAT_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
#define CARAT_KERNEL_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define CARAT_KERNEL_EXPORT __attribute__((visibility("default")))
#endif

/* 2 added CARAT_ON_GPU; kernels of version 1 go on working. */
#define CARAT_KERNEL_VERSION 2

/* Element types, to be combined with | in carat_kernel.types. C is of the type named last. */
enum carat_kernel_type {
    CARAT_F64 = 1,  /* f64 x f64 -> f64 */
    CARAT_F32 = 2,  /* f32 x f32 -> f32 */
    CARAT_F16 = 4,  /* f16 x f16 -> f32, sums in f32 */
    CARAT_BF16 = 8, /* bf16 x bf16 -> f32, sums in f32 */
    CARAT_I8 = 16   /* i8 x i8 -> i32 */
};

/* What else a kernel offers, in carat_kernel.features. */
enum carat_kernel_feature {
    CARAT_ALPHA_BETA = 1, /* any alpha and beta; otherwise it is called with 1 and 0 alone. With
                             beta 0, C may hold anything, NaN too, and is not to be read. */
    CARAT_ON_GPU = 2      /* a, b and c are in the current GPU's memory. run() starts its work on
                             `stream`, at most eight kernels and copies, and returns without
                             waiting: the stream is held until all calls are enqueued. The first
                             call of a size is not: what must wait or allocate does so there. */
};

struct carat_gemm {
    int64_t m, n, k; /* 1 or more */
    const void* a;   /* aligned to its elements */
    const void* b;
    void* c;
    int64_t lda, ldb, ldc; /* elements */
    double alpha, beta;
    int32_t type;    /* one of carat_kernel_type */
    int32_t threads; /* at most so many may work */
    void* stream;    /* a cudaStream_t where the matrices lie on a GPU; otherwise null */
};

struct carat_kernel {
    int32_t version;   /* CARAT_KERNEL_VERSION */
    const char* name;  /* one word */
    uint32_t types;    /* of carat_kernel_type */
    uint32_t features; /* of carat_kernel_feature */
    /* Whether run() takes this product; the matrices are not to be read. Null: it takes all. */
    int (*supports)(const struct carat_gemm*);
    /* Returns 0 when C is complete, or will be when `stream` has done what was started there:
       nothing may go on afterwards. Another value is a failure. */
    int (*run)(const struct carat_gemm*);
};

#endif
