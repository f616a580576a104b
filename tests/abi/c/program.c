/* carat.h in a program of C99: products, epilogues, stacks, prepared operands, and what is refused. */
#include <carat/carat.h>
#include <stdint.h>
#include <stdio.h>
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
    CHECK(carat_matmul_prepared(NULL, &a_view, NULL, &c_view) == CARAT_INVALID_ARGUMENT);
    CHECK(strchr(carat_message(), '\n') == NULL);
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

int main(void) {
    CHECK(strcmp(carat_message(), "") == 0);
    CHECK(strchr(carat_version(), '.') != NULL);
    CHECK(carat_threads(3) == 3 && carat_threads(0) >= 1);
    multiplies();
    multiplies_stacks_and_prepared();
    multiplies_bytes();
    refuses();
    knows_later_structures();
    return failures == 0 ? 0 : 1;
}
