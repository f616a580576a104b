#!/usr/bin/env python3
"""The BLAS behind libcarat_blas: in forked children, with handlers of wrong arguments that a library
brings, and where it lacks gemmtr.

usage: fallback_test.py LIBRARY

Each other BLAS that is installed is tried. Exit status 77: there is none.
"""

import ctypes
import os
import pathlib
import subprocess
import sys
import unittest

import compiled

LIBRARY = pathlib.Path(sys.argv[1]).resolve()

FORKS = r"""
#include <complex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
enum { n = 300 };
void zgemm_(const char *, const char *, const int *, const int *, const int *,
            const double complex *, const double complex *, const int *, const double complex *,
            const int *, const double complex *, double complex *, const int *, size_t, size_t);
static double complex a[n * n], c[n * n];
static int right(void) {
    const int size = n;
    const double complex one = 1, none = 0;
    for (int i = 0; i < n * n; ++i) a[i] = 1 + I;
    zgemm_("N", "N", &size, &size, &size, &one, a, &size, a, &size, &none, c, &size, 1, 1);
    for (int i = 0; i < n * n; ++i)
        if (c[i] != 2 * n * I) return 0;
    return 1;
}
static void *right_in_thread(void *answer) {
    *(int *)answer = right();
    return answer;
}
static int status_of_child(int (*work)(void)) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(work() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}
static int right_in_a_thread_then_here(void) {
    int answer = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, right_in_thread, &answer);
    pthread_join(thread, NULL);
    return answer && right();
}
static int right_and_in_a_child(void) { return right() && status_of_child(right) == 0; }
int main(void) {
    const int before = right();
    const int child = status_of_child(right);
    const int thread = status_of_child(right_in_a_thread_then_here);
    const int grandchild = status_of_child(right_and_in_a_child);
    printf("%d %d %d %d %d\n", before, child, thread, grandchild, right());
    return 0;
}
"""

# A library of handlers, as R's and Octave's: it jumps out of the routine.
HANDLERS = r"""
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
jmp_buf told;
char text[99];
void xerbla_(const char *routine, const int *position, size_t length) {
    snprintf(text, sizeof text, "xerbla %.*s %d", (int)length, routine, *position);
    longjmp(told, 1);
}
void cblas_xerbla(int position, const char *routine, const char *form, ...) {
    snprintf(text, sizeof text, "cblas_xerbla %s %d", routine, position);
    longjmp(told, 1);
}
"""
HANDLED = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stddef.h>
extern jmp_buf told;
extern char text[];
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *, size_t, size_t);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
int main(void) {
    const int one = 1, wrong = -1;
    const double a = 1;
    double c = 7;
    if (setjmp(told) == 0)
        dgemm_("N", "N", &one, &wrong, &one, &a, &a, &one, &a, &one, &a, &c, &one, 1, 1);
    puts(text);
    if (setjmp(told) == 0) cblas_dgemm(101, 111, 111, 1, 1, -1, 1, &a, 1, &a, 1, 1, &c, 1);
    puts(text);
    if (setjmp(told) == 0) cblas_dgemm(101, 0, 111, 1, 1, 1, 1, &a, 1, &a, 1, 1, &c, 1);
    puts(text);
    printf("%g\n", c);
    return 0;
}
"""

# A module as Python opens them, which nothing else sees; with HANDLER it brings a handler.
MODULE = r"""
#include <stddef.h>
#include <stdio.h>
void cherk_(const char *, const char *, const int *, const int *, const float *, const float *,
            const int *, const float *, float *, const int *, size_t, size_t);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *, size_t, size_t);
#ifdef HANDLER
void xerbla_(const char *routine, const int *position, size_t length) {
    printf(HANDLER " %.*s %d\n", (int)length, routine, *position);
}
#endif
void call(void) {
    const int one = 1, wrong = -1;
    const float f = 1;
    const double d = 1;
    float c[2] = {7, 7};
    double e = 7;
    cherk_("U", "T", &one, &one, &f, c, &one, &f, c, &one, 1, 1);
    dgemm_("N", "N", &one, &wrong, &one, &d, &d, &one, &d, &one, &d, &e, &one, 1, 1);
    printf("%g %g\n", c[0], e);
}
"""
# Opens all modules it is given, then calls the last.
HOST = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **files) {
    void *module = NULL;
    for (int i = 1; i < count; ++i)
        if ((module = dlopen(files[i], RTLD_NOW | RTLD_LOCAL)) == NULL) return puts(dlerror()), 1;
    ((void (*)(void))dlsym(module, "call"))();
    return 0;
}
"""

# Compares every option with the definition, on whole numbers, so that all is exact. What is outside
# the triangle and between columns must not change.
GEMMTR = r"""
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { most = 90, ld = most + 3 };
#define ROUTINES(T, x)                                                                            \
    void x##gemmtr_(const char *, const char *, const char *, const int *, const int *, const T *,\
                    const T *, const int *, const T *, const int *, const T *, T *, const int *); \
    void x##gemmt_(const char *, const char *, const char *, const int *, const int *, const T *, \
                   const T *, const int *, const T *, const int *, const T *, T *, const int *);  \
    void cblas_##x##gemmtr(int, int, int, int, int, int, const void *, const void *, int,         \
                           const void *, int, const void *, void *, int);                         \
    void cblas_##x##gemmt(int, int, int, int, int, int, const void *, const void *, int,          \
                          const void *, int, const void *, void *, int);
#define LETTER(given) ((given) == 111 ? "N" : (given) == 112 ? "T" : (given) == 113 ? "C"         \
                       : (given) == 121 ? "U" : "L")
#define TESTS(T, x)                                                                               \
    ROUTINES(T, x)                                                                                \
    static T x##a[ld * ld], x##b[ld * ld], x##c[ld * ld], x##was[ld * ld];                        \
    static T x##element(const T *m, int by_rows, int trans, int i, int j) {                       \
        const int row = trans == 111 ? i : j, col = trans == 111 ? j : i;                         \
        const T value = m[by_rows ? row * ld + col : col * ld + row];                             \
        return trans == 113 ? conj(value) : value;                                                \
    }                                                                                             \
    static int x##one(int way, int uplo, int ta, int tb, int n, int k, T alpha, T beta) {         \
        const int by_rows = way >= 4, size = ld;                                                  \
        for (int i = 0; i < ld * ld; ++i) {                                                       \
            x##a[i] = rand() % 5 - 2 + (rand() % 5 - 2) * I;                                      \
            x##b[i] = rand() % 5 - 2 + (rand() % 5 - 2) * I;                                      \
            x##c[i] = x##was[i] = rand() % 5 - 2 + (rand() % 5 - 2) * I;                          \
        }                                                                                         \
        if (way == 0)                                                                             \
            x##gemmtr_(LETTER(uplo), LETTER(ta), LETTER(tb), &n, &k, &alpha, x##a, &size, x##b,   \
                       &size, &beta, x##c, &size);                                                \
        else if (way == 1)                                                                        \
            x##gemmt_(LETTER(uplo), LETTER(ta), LETTER(tb), &n, &k, &alpha, x##a, &size, x##b,    \
                      &size, &beta, x##c, &size);                                                 \
        else if (way % 2 == 0)                                                                    \
            cblas_##x##gemmtr(by_rows ? 101 : 102, uplo, ta, tb, n, k, &alpha, x##a, ld, x##b,    \
                              ld, &beta, x##c, ld);                                               \
        else                                                                                      \
            cblas_##x##gemmt(by_rows ? 101 : 102, uplo, ta, tb, n, k, &alpha, x##a, ld, x##b, ld, \
                             &beta, x##c, ld);                                                    \
        for (int i = 0; i < n; ++i)                                                               \
            for (int j = 0; j < n; ++j) {                                                         \
                T *wanted = &x##was[by_rows ? i * ld + j : j * ld + i], sum = 0;                  \
                if (uplo == 122 ? i < j : i > j) continue;                                        \
                for (int l = 0; l < k; ++l)                                                       \
                    sum += x##element(x##a, by_rows, ta, i, l) *                                  \
                           x##element(x##b, by_rows, tb, l, j);                                   \
                *wanted = alpha * sum + beta * *wanted;                                           \
            }                                                                                     \
        for (int i = 0; i < ld * ld; ++i)                                                         \
            if (x##c[i] != x##was[i]) return 1;                                                   \
        return 0;                                                                                 \
    }                                                                                             \
    static int x##whole(int *tried) {                                                               \
        const int sizes[] = {0, 1, 5, 32, 33, most}, depths[] = {0, 1, 40};                       \
        int wrong = 0;                                                                            \
        for (int way = 0; way < 6; ++way)                                                         \
            for (int uplo = 121; uplo <= 122; ++uplo)                                             \
                for (int ta = 111; ta <= 113; ++ta)                                               \
                    for (int tb = 111; tb <= 113; ++tb)                                           \
                        for (int n = 0; n < 6; ++n)                                               \
                            for (int k = 0; k < 3; ++k, ++*tried)                                 \
                                wrong += x##one(way, uplo, ta, tb, sizes[n], depths[k],           \
                                                *tried % 3 ? 2 - I : 0, *tried % 2 ? 1 + 2 * I : 1); \
        return wrong;                                                                             \
    }
TESTS(float complex, c)
TESTS(double complex, z)
int main(void) {
    int tried = 0;
    const int wrong = cwhole(&tried) + zwhole(&tried);
    printf("%d wrong of %d\n", wrong, tried);
    return 0;
}
"""


# An OpenBLAS as far as its number of threads goes, opened as Python opens libraries.
OPENBLAS = r"""
static int threads = 4;
int openblas_get_parallel(void) { return KIND; }
int openblas_get_num_procs(void) { return 4; }
int openblas_get_num_threads(void) { return threads; }
void openblas_set_num_threads(int wanted) { threads = wanted; }
const char *openblas_get_config(void) { return "OpenBLAS 0.0.0 MAX_THREADS=64"; }
"""
LIMITED = r"""
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
enum { n = 400 };
static double a[n * n], c[n * n];
static int threads_after_a_product(void) {
    cblas_dgemm(101, 111, 111, n, n, n, 1, a, n, a, n, 0, c, n);
    DIR *const tasks = opendir("/proc/self/task");
    int count = -2;
    while (readdir(tasks) != NULL) ++count;
    closedir(tasks);
    return count;
}
int main(int count, char **arguments) {
    void *const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    void (*const set)(int) = (void (*)(int))dlsym(library, "openblas_set_num_threads");
    set(1);
    printf("%d", threads_after_a_product());
    set(4);
    printf(" %d\n", threads_after_a_product());
    return count - 2;
}
"""


def installed():
    """The files of the other BLASes there are."""
    reference = [str(p) for p in pathlib.Path("/usr/lib").glob("*/blas/libblas.so.3")]
    found = []
    for name in ("libopenblas.so.0", "libblis.so.4", *reference):
        try:
            ctypes.CDLL(name)
            found.append(name)
        except OSError:
            print(f"not installed: {name}")
    return found


class Fallback(compiled.ProgramTest):
    def test_children_of_a_parent_that_called_it(self):
        program = self.build(["cc", "-pthread"], "forks.c", FORKS, LIBRARY)
        for name in installed():
            with self.subTest(name):
                done = self.run_program(program, CARAT_BLAS_FALLBACK=name, OMP_NUM_THREADS="2",
                                        BLIS_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
                self.assertEqual(done.stdout, "1 0 0 0 1\n")

    def test_complex_gemmtr(self):
        program = self.build(["cc", "-O1"], "gemmtr.c", GEMMTR, LIBRARY)
        for name in installed():
            with self.subTest(name):
                done = self.run_program(program, CARAT_BLAS_FALLBACK=name)
                self.assertEqual(done.stdout, "0 wrong of 3888\n")

    def test_a_library_with_handlers_is_asked(self):
        handlers = self.build(["cc", "-shared", "-fPIC"], "libhandlers.c", HANDLERS)
        handlers.rename(handlers.with_suffix(".so"))
        folder = os.fspath(self.folder)
        source = self.folder / "handled.c"
        source.write_text(HANDLED)
        program = self.folder / "handled"
        subprocess.run(["cc", source, "-o", program, f"-L{folder}", "-lhandlers",
                        f"-Wl,-rpath,{folder}", f"-L{LIBRARY.parent}", "-lcarat_blas",
                        f"-Wl,-rpath,{LIBRARY.parent}"], check=True, timeout=300)
        expected = "xerbla DGEMM  4\nxerbla DGEMM  5\ncblas_xerbla cblas_dgemm 2\n7\n"
        self.assertEqual(self.run_program(program).stdout, expected)
        self.assertEqual(self.run_program(program, LD_PRELOAD=str(LIBRARY)).stdout, expected)

    def test_the_handler_of_a_module_that_no_other_sees(self):
        """The calling module's handler; else one that the loader would find; else none."""
        host = self.build(["cc"], "host.c", HOST)

        def module(name, *options):
            source = self.folder / (name + ".c")
            source.write_text(MODULE)
            library = source.with_suffix(".so")
            subprocess.run(["cc", "-shared", "-fPIC", *options, source, "-o", library, "-lblas"],
                           check=True, timeout=300)
            return library

        silent = module("silent")
        one, other = (module(name, f'-DHANDLER="{name}"') for name in ("one", "other"))
        for modules, by in (([one], "one"), ([one, other], "other"), ([one, silent], "one"),
                            ([silent], "")):
            with self.subTest(modules):
                done = self.run_program(host, *modules, LD_PRELOAD=str(LIBRARY))
                told = f"{by} CHERK  2\n{by} DGEMM  4\n" if by else ""
                self.assertEqual(done.stdout, told + "7 7\n")
                self.assertEqual(done.stderr.count("had an illegal value"), 0 if by else 2)

    def test_the_number_of_threads_that_a_program_sets_in_openblas(self):
        program = self.build(["cc"], "limited.c", LIMITED, LIBRARY)
        for kind, expected in ((1, "1 2\n"), (2, "2 2\n")):  # with threads of its own, with OpenMP
            with self.subTest(kind):
                name = f"libopenblas_of_kind_{kind}"
                library = self.build(["cc", "-shared", "-fPIC", f"-DKIND={kind}"], name + ".c", OPENBLAS)
                library = library.rename(self.folder / (name + ".so"))
                done = self.run_program(program, library, CARAT_NUM_THREADS="2",
                                        OMP_NUM_THREADS="4")
                self.assertEqual(done.stdout, expected)


if __name__ == "__main__":
    if not installed():
        print("skipped: no other BLAS is installed (apt install libopenblas0-openmp)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
