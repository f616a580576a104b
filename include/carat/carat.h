/* carat from C, and from any language that calls C: matrix products over addresses, sizes and
 * strides.
 *
 *   double a[6], b[12], c[8];
 *   const carat_matrix a_view = {a, 2, 3, 3, 1, CARAT_F64};
 *   const carat_matrix b_view = {b, 3, 4, 4, 1, CARAT_F64};
 *   const carat_matrix c_view = {c, 2, 4, 4, 1, CARAT_F64};
 *   if (carat_matmul(NULL, &a_view, &b_view, &c_view) != CARAT_OK) puts(carat_message());
 *
 * Types, overlaps, threads and guarantees about values are those of product.hpp. C99 and C++. */
#ifndef CARAT_CARAT_H
#define CARAT_CARAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CARAT_C_API __attribute__((visibility("default")))
#else
#define CARAT_C_API
#endif

/* Numbers never change: new types are added at the end. */
typedef enum carat_dtype {
    CARAT_F64 = 0,
    CARAT_F32 = 1,
    CARAT_F16 = 2,
    CARAT_BF16 = 3,
    CARAT_E4M3 = 4,
    CARAT_E5M2 = 5,
    CARAT_I32 = 6,
    CARAT_I8 = 7,
    CARAT_U8 = 8
} carat_dtype;

typedef enum carat_status {
    CARAT_OK = 0,
    CARAT_INVALID_ARGUMENT = 1,
    CARAT_SIZE_MISMATCH = 2,
    CARAT_ALIASING = 3,
    CARAT_OVERFLOW = 4,
    CARAT_OUT_OF_MEMORY = 5,
    CARAT_UNSUPPORTED = 6,
    CARAT_DEVICE_FAILED = 7
} carat_status;

/* rows x cols elements; (i, j) is data[i * row_stride + j * col_stride], with strides in elements,
 * of any sign. Column-major with a leading dimension is {data, rows, cols, 1, ld, type}. Only C is
 * written. */
typedef struct carat_matrix {
    void* data;
    size_t rows, cols;
    ptrdiff_t row_stride, col_stride;
    carat_dtype type;
} carat_matrix;

typedef enum carat_step_kind {
    CARAT_BIAS = 0,      /* adds values[j] to column j, or values[i] to row i */
    CARAT_SCALE = 1,     /* multiplies by them */
    CARAT_SCALE_ALL = 2, /* multiplies by number */
    CARAT_RELU = 3,
    CARAT_GELU = 4, /* the tanh variant */
    CARAT_SILU = 5
} carat_step_kind;

typedef enum carat_by { CARAT_BY_ROW = 0, CARAT_BY_COLUMN = 1 } carat_by;

/* What is applied to sums on their way to C. Values are double if A is CARAT_F64, else float. */
typedef struct carat_step {
    carat_step_kind kind;
    carat_by by;
    const void* values;
    size_t count;
    double number;
} carat_step;

/* Start from CARAT_OPTIONS_INIT and set what you need: the size tells the library which members a
 * program knows, so that others can be added later. */
typedef struct carat_options {
    size_t struct_size;
    double alpha;            /* 1 */
    double beta;             /* 0: C is never read */
    int threads;             /* on a CPU, at most; 0: OMP_NUM_THREADS or the machine's number */
    int on_gpu;              /* 1: matrices and values are in a GPU's memory */
    int device;              /* the GPU; -1: the calling thread's current one */
    void* stream;            /* a cudaStream_t; NULL: the default stream */
    const carat_step* steps; /* at most 8, applied in order */
    size_t step_count;
} carat_options;

#define CARAT_OPTIONS_INIT \
    { sizeof(carat_options), 1.0, 0.0, 0, 0, -1, NULL, NULL, 0 }

/* C = epilogue(alpha A B) + beta C. options may be NULL. C is untouched unless CARAT_OK is returned
 * (but see error.hpp for GPUs). */
CARAT_C_API carat_status carat_matmul(const carat_options* options, const carat_matrix* a,
                                      const carat_matrix* b, const carat_matrix* c);

/* The same for `count` products; matrix i is i * stride elements after the first. A stride of 0
 * uses one A or B for all. */
CARAT_C_API carat_status carat_matmul_strided(const carat_options* options, const carat_matrix* a,
                                              ptrdiff_t a_stride, const carat_matrix* b,
                                              ptrdiff_t b_stride, const carat_matrix* c,
                                              ptrdiff_t c_stride, size_t count);

/* Products that divide the rows of A and C: product i's rows end before row ends[i] and begin where
 * the previous one's end; each has its own B, b_stride elements after the previous one. With on_gpu
 * the `count` ends are in the GPU's memory and are read when the product runs, see batch.hpp. */
CARAT_C_API carat_status carat_matmul_ragged(const carat_options* options, const carat_matrix* a,
                                             const carat_matrix* b, ptrdiff_t b_stride,
                                             const carat_matrix* c, const int32_t* ends,
                                             size_t count);

/* The same for K, A's columns and B's rows; each product has its own C. */
CARAT_C_API carat_status carat_matmul_ragged_k(const carat_options* options, const carat_matrix* a,
                                               const carat_matrix* b, const carat_matrix* c,
                                               ptrdiff_t c_stride, const int32_t* ends,
                                               size_t count);

/* B packed once for many products on a CPU, in its own memory. Any number of threads may use it at
 * once. */
typedef struct carat_prepared carat_prepared;
CARAT_C_API carat_status carat_prepare(const carat_matrix* b, carat_prepared** prepared);
CARAT_C_API carat_status carat_matmul_prepared(const carat_options* options, const carat_matrix* a,
                                               const carat_prepared* b, const carat_matrix* c);
CARAT_C_API void carat_prepared_free(carat_prepared* prepared); /* NULL is ignored */

/* Why this thread's last failed call failed: one line, valid until its next failure; "" before
 * any. */
CARAT_C_API const char* carat_message(void);

/* The most threads that a call would use with options.threads = asked. */
CARAT_C_API int carat_threads(int asked);

/* Uses the program's own threads: `parallel` calls run(work, piece, thread) once for each piece
 * from 0 to pieces - 1, with thread indices from 0 to threads - 1 and never twice at a time with
 * the same index, and returns when all calls have. NULL: carat's threads again. Must not be called
 * while another thread multiplies. */
typedef void (*carat_run_piece)(const void* work, int piece, int thread);
typedef void (*carat_parallel)(void* context, int pieces, int threads, carat_run_piece run,
                               const void* work);
CARAT_C_API void carat_set_parallel(carat_parallel parallel, void* context);

/* Uses the program's own memory for packed operands, with at least the requested alignment;
 * `allocate` may return NULL. Existing memory returns to where it came from, at the latest when its
 * thread ends. Both NULL: operator new and delete again; one alone is refused. Must not be called
 * while another thread multiplies. */
typedef void* (*carat_allocate)(void* context, size_t size_bytes, size_t alignment);
typedef void (*carat_release)(void* context, void* memory, size_t size_bytes, size_t alignment);
CARAT_C_API carat_status carat_set_allocator(carat_allocate allocate, carat_release release,
                                             void* context);

CARAT_C_API const char* carat_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif

#endif
