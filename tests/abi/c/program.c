/* carat.h in a program of C99: products, epilogues, stacks, prepared operands, the program's own
 * threads and memory, and what is refused. */
#include <carat/carat.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            ++failures;                                                        \
        }                                                                      \
    } while (0)

static carat_matrix of_f64(double* data, size_t rows, size_t cols) {
    const carat_matrix m = {data, rows, cols, (ptrdiff_t)cols, 1, CARAT_F64};
    return m;
}

static int equal(const double* x, const double* y, int count) {
    for (int i = 0; i < count; ++i)
        if (x[i] != y[i]) return 0;
    return 1;
}

static double a[] = {1, 2, 3, 4, 5, 6};
static double b[] = {1, 0, 2, 0, 0, 1};

static void multiplies(void) {
    double c[4] = {100, 100, 100, 100};
    const carat_matrix a_view = of_f64(a, 2, 3), b_view = of_f64(b, 3, 2), c_view = of_f64(c, 2, 2);
    CHECK(carat_matmul(NULL, &a_view, &b_view, &c_view) == CARAT_OK);
    CHECK(equal(c, (double[]){5, 3, 14, 6}, 4) || (puts(carat_message()), 0));

    carat_options options = CARAT_OPTIONS_INIT;
    options.alpha = 2;
    options.beta = -1;
    options.threads = 1;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_OK);
    CHECK(equal(c, (double[]){5, 3, 14, 6}, 4)); /* 2 A B - A B */

    const double bias[] = {-4, 1};
    const carat_step steps[] = {{CARAT_BIAS, CARAT_BY_COLUMN, bias, 2, 0},
                                {CARAT_SCALE_ALL, CARAT_BY_ROW, NULL, 0, -1},
                                {CARAT_RELU, CARAT_BY_ROW, NULL, 0, 0}};
    options = (carat_options)CARAT_OPTIONS_INIT;
    options.steps = steps;
    options.step_count = 1;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_OK);
    CHECK(equal(c, (double[]){1, 4, 10, 7}, 4));
    options.step_count = 3;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_OK);
    CHECK(equal(c, (double[]){0, 0, 0, 0}, 4));
}

static void multiplies_stacks_and_prepared(void) {
    double c[8];
    const carat_matrix a_view = of_f64(a, 1, 3), b_view = of_f64(b, 3, 2), c_view = of_f64(c, 1, 2);
    CHECK(carat_matmul_strided(NULL, &a_view, 3, &b_view, 0, &c_view, 2, 2) == CARAT_OK);
    CHECK(equal(c, (double[]){5, 3, 14, 6}, 4));
    carat_prepared* ready = NULL;
    CHECK(carat_prepare(&b_view, &ready) == CARAT_OK);
    memset(c, 0, sizeof c);
    CHECK(carat_matmul_prepared(NULL, &a_view, ready, &c_view) == CARAT_OK);
    CHECK(equal(c, (double[]){5, 3}, 2));
    carat_prepared_free(ready);
    carat_prepared_free(NULL);
}

/* Rows 0, none, and 1 with weights of their own; then both rows as K. */
static void multiplies_what_is_shared_out(void) {
    const int32_t ends[] = {1, 1, 2};
    double w[] = {1, 0, 2, 0, 0, 1, 9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1}, c[6] = {7, 7, 7, 7, 7, 7};
    const carat_matrix a_view = of_f64(a, 2, 3), w_view = of_f64(w, 3, 2), c_view = of_f64(c, 3, 2);
    carat_matrix rows = c_view;
    rows.rows = 2;
    CHECK(carat_matmul_ragged(NULL, &a_view, &w_view, 6, &rows, ends, 3) == CARAT_OK);
    CHECK(equal(c, (double[]){5, 3, 15, 15, 7, 7}, 6) || (puts(carat_message()), 0));
    const carat_matrix a_by_columns = {a, 1, 2, 1, 3, CARAT_F64}, one = of_f64(c, 1, 2);
    const carat_matrix two_rows = of_f64(w, 2, 2);
    CHECK(carat_matmul_ragged_k(NULL, &a_by_columns, &two_rows, &one, 2, ends, 3) == CARAT_OK);
    CHECK(equal(c, (double[]){1, 0, 0, 0, 8, 0}, 6) || (puts(carat_message()), 0));
    const int32_t bad[] = {2, 1, 2};
    CHECK(carat_matmul_ragged(NULL, &a_view, &w_view, 6, &rows, bad, 3) == CARAT_INVALID_ARGUMENT);
    CHECK(strstr(carat_message(), "product 1 gets of A the end is 1") != NULL && c[4] == 8);
}

static void multiplies_bytes(void) {
    int8_t x[] = {100, -100, 3, 4}, y[] = {2, 1, 0, 1};
    int32_t z[4];
    const carat_matrix x_view = {x, 2, 2, 2, 1, CARAT_I8}, y_view = {y, 2, 2, 1, 2, CARAT_I8};
    const carat_matrix z_view = {z, 2, 2, 2, 1, CARAT_I32};
    CHECK(carat_matmul(NULL, &x_view, &y_view, &z_view) == CARAT_OK);
    CHECK(z[0] == 100 && z[1] == -100 && z[2] == 10 && z[3] == 4); /* y transposed */
    const carat_step relu = {CARAT_RELU, CARAT_BY_ROW, NULL, 0, 0};
    carat_options options = CARAT_OPTIONS_INIT;
    options.steps = &relu;
    options.step_count = 1;
    CHECK(carat_matmul(&options, &x_view, &y_view, &z_view) == CARAT_INVALID_ARGUMENT);
    CHECK(strstr(carat_message(), "C is i32, which has no epilogue") != NULL && z[0] == 100);
}

/* Each failure has its status and one line, and C is as it was. */
static void refuses(void) {
    double c[4] = {7, 7, 7, 7};
    const carat_matrix a_view = of_f64(a, 2, 3), b_view = of_f64(b, 3, 2), c_view = of_f64(c, 2, 2);
    carat_matrix wrong = of_f64(c, 2, 3);
    CHECK(carat_matmul(NULL, &a_view, &b_view, &wrong) == CARAT_SIZE_MISMATCH);
    CHECK(strstr(carat_message(), "C is 2 x 3 but A B is 2 x 2") != NULL);
    CHECK(carat_matmul(NULL, NULL, &b_view, &c_view) == CARAT_INVALID_ARGUMENT);
    CHECK(strcmp(carat_message(), "A is null: give a carat_matrix") == 0);
    wrong = of_f64(a, 2, 2);
    CHECK(carat_matmul(NULL, &a_view, &b_view, &wrong) == CARAT_ALIASING);
    wrong = c_view;
    wrong.type = CARAT_F32;
    CHECK(carat_matmul(NULL, &a_view, &b_view, &wrong) == CARAT_INVALID_ARGUMENT);
    CHECK(strstr(carat_message(), "no kernel multiplies f64 by f64 into f32") != NULL);
    wrong.type = (carat_dtype)77;
    CHECK(carat_matmul(NULL, &a_view, &b_view, &wrong) == CARAT_INVALID_ARGUMENT);
    CHECK(strstr(carat_message(), "C.type is 77") != NULL);
    carat_options options = CARAT_OPTIONS_INIT;
    options.struct_size = 3;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_INVALID_ARGUMENT);
    CHECK(strstr(carat_message(), "struct_size is 3") != NULL);
    options = (carat_options)CARAT_OPTIONS_INIT;
    options.threads = -1;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_INVALID_ARGUMENT);
    options = (carat_options)CARAT_OPTIONS_INIT;
    options.step_count = 9;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_INVALID_ARGUMENT);
    const double bias[] = {1, 2};
    const carat_step by_nothing = {CARAT_BIAS, (carat_by)2, bias, 2, 0};
    options.steps = &by_nothing;
    options.step_count = 1;
    CHECK(carat_matmul(&options, &a_view, &b_view, &c_view) == CARAT_INVALID_ARGUMENT);
    CHECK(strcmp(carat_message(), "a step is by 2: it must be one of enum carat_by") == 0);
    CHECK(carat_matmul_prepared(NULL, &a_view, NULL, &c_view) == CARAT_INVALID_ARGUMENT);
    CHECK(strchr(carat_message(), '\n') == NULL);
    CHECK(equal(c, (double[]){7, 7, 7, 7}, 4));
}

/* A count or size that is -1 in another type ends in a status, not in the end of the process. */
static void refuses_counts_beyond_memory(void) {
    double c[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    const int32_t ends[] = {1, 2};
    const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 64};
    const carat_matrix a_view = of_f64(a, 2, 3), b_view = of_f64(b, 3, 2), c_view = of_f64(c, 2, 2);
    const carat_matrix one = of_f64(c, 1, 1), none = of_f64(c, 0, 0);
    const carat_step all = {CARAT_SCALE_ALL, CARAT_BY_ROW, NULL, 0, 2};
    carat_options scaled = CARAT_OPTIONS_INIT;
    scaled.steps = &all;
    scaled.step_count = 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        const size_t n = counts[i];
        const carat_status expected = CARAT_OVERFLOW;
        CHECK(carat_matmul_strided(NULL, &a_view, 0, &b_view, 0, &c_view, 0, n) == expected);
        CHECK(carat_matmul_strided(NULL, &a_view, 1, &b_view, 0, &c_view, 4, n) == expected);
        CHECK(carat_matmul_strided(&scaled, &none, 0, &none, 0, &none, 0, n) == expected);
        CHECK(carat_matmul_ragged(NULL, &a_view, &b_view, 0, &c_view, ends, n) == expected);
        CHECK(carat_matmul_ragged(NULL, &a_view, &b_view, 6, &c_view, ends, n) == expected);
        CHECK(carat_matmul_ragged_k(NULL, &a_view, &b_view, &c_view, 4, ends, n) == expected);
        CHECK(strstr(carat_message(), "products: a call takes up to 2^40") != NULL);
    }
    carat_matrix deep = one, wide = one;
    carat_prepared* ready = NULL;
    deep.rows = wide.cols = SIZE_MAX;
    deep.row_stride = wide.col_stride = 0;
    CHECK(carat_matmul(NULL, &wide, &deep, &one) == CARAT_OVERFLOW);
    CHECK(carat_prepare(&deep, &ready) == CARAT_OVERFLOW && ready == NULL);
    deep.cols = 0;
    CHECK(carat_prepare(&deep, &ready) == CARAT_OVERFLOW && ready == NULL);
    CHECK(equal(c, (double[]){7, 7, 7, 7}, 4));
}

/* A program built with a later carat.h has members that this library doesn't know. */
static void knows_later_structures(void) {
    struct {
        carat_options known;
        double later;
    } options = {CARAT_OPTIONS_INIT, 3};
    double c[4];
    const carat_matrix a_view = of_f64(a, 2, 3), b_view = of_f64(b, 3, 2), c_view = of_f64(c, 2, 2);
    options.known.struct_size = sizeof options;
    CHECK(carat_matmul(&options.known, &a_view, &b_view, &c_view) == CARAT_OK);
}

enum { order = 300 };
static double large_a[order * order], large_b[order * order], large_c[order * order];

/* Whole numbers, so that any order of sums gives the same. */
static int multiplies_large(const carat_options* options) {
    const carat_matrix x = of_f64(large_a, order, order), y = of_f64(large_b, order, order);
    const carat_matrix z = of_f64(large_c, order, order);
    for (int i = 0; i < order * order; ++i) {
        large_a[i] = i % 7 - 3;
        large_b[i] = i % 5 - 2;
        large_c[i] = 100;
    }
    if (carat_matmul(options, &x, &y, &z) != CARAT_OK) return 0;
    for (int i = 0; i < order; i += 37)
        for (int j = 0; j < order; j += 41) {
            double sum = 0;
            for (int k = 0; k < order; ++k) sum += large_a[i * order + k] * large_b[k * order + j];
            if (sum != large_c[i * order + j]) return 0;
        }
    return 1;
}

typedef struct {
    int calls, pieces, threads;
} seen_of_pool;

/* The last piece first, and each thread in turn. */
static void run_backwards(void* context, int pieces, int threads, carat_run_piece run,
                          const void* work) {
    seen_of_pool* seen = context;
    ++seen->calls;
    seen->pieces += pieces;
    seen->threads = threads;
    while (pieces-- > 0) run(work, pieces, pieces % threads);
}

static void runs_on_threads_of_the_program(void) {
    seen_of_pool seen = {0, 0, 0};
    carat_options options = CARAT_OPTIONS_INIT;
    options.threads = 3;
    carat_set_parallel(run_backwards, &seen);
    CHECK(multiplies_large(&options));
    CHECK(seen.calls > 0 && seen.pieces > seen.calls && seen.threads == 3);
    carat_set_parallel(NULL, NULL);
    seen.calls = 0;
    CHECK(multiplies_large(&options) && seen.calls == 0);
}

typedef struct {
    size_t taken, given_back;
    int empty;
} seen_of_memory;

static void* take(void* context, size_t size_bytes, size_t alignment) {
    seen_of_memory* seen = context;
    char* const whole = seen->empty ? NULL : malloc(size_bytes + alignment + sizeof whole);
    if (whole == NULL) return NULL;
    const uintptr_t after = (uintptr_t)whole + sizeof whole;
    char* const memory = whole + sizeof whole + (alignment - after % alignment) % alignment;
    memcpy(memory - sizeof whole, &whole, sizeof whole);
    seen->taken += size_bytes;
    return memory;
}

static void give_back(void* context, void* memory, size_t size_bytes, size_t alignment) {
    char* whole;
    memcpy(&whole, (char*)memory - sizeof whole, sizeof whole);
    CHECK((uintptr_t)memory % alignment == 0);
    ((seen_of_memory*)context)->given_back += size_bytes;
    free(whole);
}

static void takes_memory_of_the_program(void) {
    static seen_of_memory seen; /* outlives this thread, which gives its memory back at its end */
    const carat_matrix large = of_f64(large_b, order, order);
    carat_prepared* ready = NULL;
    CHECK(carat_set_allocator(take, NULL, NULL) == CARAT_INVALID_ARGUMENT);
    CHECK(strstr(carat_message(), "allocate and release must both be given") != NULL);
    CHECK(carat_set_allocator(take, give_back, &seen) == CARAT_OK);
    CHECK(carat_prepare(&large, &ready) == CARAT_OK);
    const size_t packed = seen.taken;
    CHECK(packed >= sizeof large_b && seen.given_back == 0);
    carat_prepared_free(ready);
    CHECK(seen.given_back == packed);
    seen.empty = 1;
    CHECK(carat_prepare(&large, &ready) == CARAT_OUT_OF_MEMORY);
    seen.empty = 0;
    CHECK(multiplies_large(NULL));
    CHECK(carat_set_allocator(NULL, NULL, NULL) == CARAT_OK);
    CHECK(carat_prepare(&large, &ready) == CARAT_OK && seen.given_back == packed);
    carat_prepared_free(ready);
    CHECK(seen.given_back == packed);
}

int main(void) {
    CHECK(strcmp(carat_message(), "") == 0);
    CHECK(strchr(carat_version(), '.') != NULL);
    CHECK(carat_threads(3) == 3 && carat_threads(0) >= 1);
    multiplies();
    multiplies_stacks_and_prepared();
    multiplies_what_is_shared_out();
    multiplies_bytes();
    refuses();
    refuses_counts_beyond_memory();
    knows_later_structures();
    runs_on_threads_of_the_program();
    takes_memory_of_the_program();
    return failures == 0 ? 0 : 1;
}
