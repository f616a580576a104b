#!/usr/bin/env python3
"""libcarat_blas as programs meet it: compiled and linked in C and Fortran, its exports, the search for
the other BLAS, errors.

usage: programs_test.py LIBRARY LIBRARY64 ROUTINES.DEF
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import compiled

LIBRARY, LIBRARY64, TABLE = (pathlib.Path(a).resolve() for a in sys.argv[1:4])

C_PROGRAM = r"""
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void cblas_dgemm(int, int, int, INTEGER, INTEGER, INTEGER, double, const double *, INTEGER,
                 const double *, INTEGER, double, double *, INTEGER);
void dgemm_(const char *, const char *, const INTEGER *, const INTEGER *, const INTEGER *,
            const double *, const double *, const INTEGER *, const double *, const INTEGER *,
            const double *, double *, const INTEGER *, size_t, size_t);
double cblas_ddot(INTEGER, const double *, INTEGER, const double *, INTEGER);
float complex cdotu_(const INTEGER *, const float complex *, const INTEGER *, const float complex *,
                     const INTEGER *);
void cblas_drotmg(double *, double *, double *, double, double *);
INTEGER cblas_idamax(INTEGER, const double *, INTEGER);
int main(int count, char **arguments) {
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 0, 1, 1};
    double c[4], p[5] = {0}, d1 = 2, d2 = 3, x = 4;
    const float complex u[] = {1 + 2 * I, 3 - I}, v[] = {2, I};
    const INTEGER one = 1, two = 2, wrong = -1;
    const double unit = 1, none = 0;
    if (count > 1 && strcmp(arguments[1], "wrong") == 0)
        dgemm_("N", "N", &two, &wrong, &two, &unit, a, &two, b, &two, &none, c, &two, 1, 1);
    if (count > 1 && strcmp(arguments[1], "wrong cblas") == 0)
        cblas_dgemm(101, 111, 111, 2, 2, 3, 1, a, 2, b, 2, 0, c, 2);
    cblas_dgemm(101, 111, 111, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
    if (count > 1 && strcmp(arguments[1], "ours") == 0) return 0;
    const float complex w = cdotu_(&two, u, &one, v, &one);
    cblas_drotmg(&d1, &d2, &x, 5, p);
    printf("%g %g %g %g | %g | %g %g | %lld | %.6f\n", c[0], c[1], c[2], c[3],
           cblas_ddot(6, a, 1, b, 1), crealf(w), cimagf(w), (long long)cblas_idamax(6, a, 1), d1);
    return 0;
}
"""
# Prints, after a product too small for threads and after one that is not: is libgomp loaded? how many
# threads are there?
THREADS_PROGRAM = r"""
#include <dirent.h>
#include <stdio.h>
#include <string.h>
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
static double a[300 * 300], c[300 * 300];
static void look(void) {
    char line[4096];
    int loaded = 0, tasks = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) loaded |= strstr(line, "libgomp") != NULL;
    fclose(maps);
    DIR *all = opendir("/proc/self/task");
    for (struct dirent *one; (one = readdir(all)) != NULL;) tasks += one->d_name[0] != '.';
    closedir(all);
    printf("%d %d\n", loaded, tasks);
}
int main(void) {
    cblas_dgemm(101, 111, 111, 8, 8, 8, 1, a, 8, a, 8, 0, c, 8);
    look();
    cblas_dgemm(101, 111, 111, 300, 300, 300, 1, a, 300, a, 300, 0, c, 300);
    look();
    return 0;
}
"""

C_ANSWER = "8 3 20 6 | 18 | 3 7 | 5 | 2.102804\n"  # by hand; rotmg: 3 / (1 + 8/15 4/5)

FORTRAN_PROGRAM = r"""
program multiply
  implicit none
  double precision :: a(2, 3), b(3, 2), c(2, 2), ddot
  complex :: u(2), v(2), cdotc
  external :: dgemm, ddot, cdotc
  a = reshape([1d0, 4d0, 2d0, 5d0, 3d0, 6d0], [2, 3])
  b = reshape([1d0, 2d0, 1d0, 0d0, 0d0, 1d0], [3, 2])
  u = [(1.0, 2.0), (3.0, -1.0)]
  v = [(2.0, 0.0), (0.0, 1.0)]
  call dgemm('N', 'N', 2, 2, 3, 1d0, a, 2, b, 3, 0d0, c, 2)
  print '(5(f6.1), 2(f6.1))', c, ddot(4, a, 1, b, 1), cdotc(2, u, 1, v, 1)
end program
"""


class Programs(compiled.ProgramTest):
    def build_c(self, library=LIBRARY, integer="int32_t"):
        return self.build(["cc", f"-DINTEGER={integer}"], "program.c", C_PROGRAM, library)

    def test_a_program_in_c(self):
        self.assertEqual(self.run_program(self.build_c()).stdout, C_ANSWER)

    def test_a_program_in_c_with_64_bit_integers(self):
        if subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libblas64.so.3')"],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no BLAS with 64-bit integers is installed (apt install libblas64-3)")
        program = self.build_c(LIBRARY64, "int64_t")
        self.assertEqual(self.run_program(program).stdout, C_ANSWER)

    def test_a_program_in_fortran(self):
        if shutil.which("gfortran") is None:
            self.skipTest("gfortran is not installed")
        program = self.build(["gfortran"], "program.f90", FORTRAN_PROGRAM, LIBRARY)
        self.assertEqual([float(x) for x in self.run_program(program).stdout.split()],
                         [8, 20, 3, 6, 11, 1, -1])

    def symbols(self, library):
        text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                              text=True, check=True).stdout
        return {line.split()[-1] for line in text.splitlines()}

    def test_exports_are_the_table_and_nothing_else(self):
        def expanded(*kinds):
            text = subprocess.run(["cc", "-E", "-P", "-x", "c", *kinds, TABLE],
                                  capture_output=True, text=True, check=True).stdout
            return set(re.findall(r"\w+", text))

        table = expanded("-DOWN(s)=s;", "-DFORWARD(s)=s;")
        products = expanded("-DOWN(s)=", "-DFORWARD(s)=", "-DPRODUCT(s)=s;")
        self.assertGreater(len(table), 300)
        self.assertEqual(len(products), 32)
        of_wheels = {f"{prefix}{s}64_" for s in products for prefix in ("", "scipy_")}
        self.assertEqual(self.symbols(LIBRARY64), table | of_wheels)
        self.assertEqual(self.symbols(LIBRARY),
                         table | of_wheels | {f"scipy_{s}" for s in products})

    def test_no_routine_of_the_reference_is_missing(self):
        found = sorted(pathlib.Path("/usr/lib").glob("*/blas/libblas.so.3"))
        if not found:
            self.skipTest("the reference BLAS is not installed (apt install libblas3)")
        # CBLAS calls these inside the reference; no interface names them.
        inner = re.compile(r"CBLAS_CallFromC|RowMajorStrg|\w+sub_")
        routines = {s for s in self.symbols(found[0]) if not inner.fullmatch(s)}
        self.assertGreater(len(routines), 280)
        self.assertEqual(routines - self.symbols(LIBRARY), set())

    def test_it_loads_no_standard_library(self):
        """Which is most of what a program would pay that preloads it and never multiplies."""
        source = "int main() { return 0; }"
        (self.folder / "empty.cpp").write_text(source)
        if subprocess.run(["c++", "-static-libstdc++", self.folder / "empty.cpp", "-o",
                           self.folder / "empty"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no static libstdc++ to link")
        for library in (LIBRARY, LIBRARY64):
            text = subprocess.run(["readelf", "-d", library], capture_output=True, text=True,
                                  check=True).stdout
            needed = set(re.findall(r"NEEDED.*\[(\w+)", text))
            by = subprocess.run(["readelf", "-p", ".comment", library], capture_output=True,
                                text=True, check=True).stdout
            spare = {"libm"} if "clang" in by else set()
            self.assertLessEqual(needed, {"libgcc_s", "libc", "ld"} | spare)

    def test_openmp_is_asked_by_products_for_threads_only_and_may_be_missing(self):
        program = self.build(["cc", "-std=gnu11"], "threads.c", THREADS_PROGRAM, LIBRARY)
        (self.folder / "libgomp.so.1").write_text("no library")
        for loaded, environment in ((1, {}), (0, {"LD_LIBRARY_PATH": str(self.folder)})):
            for wanted in (1, 3):
                said = self.run_program(program, OMP_NUM_THREADS=str(wanted), **environment).stdout
                small, large = (tuple(map(int, line.split())) for line in said.splitlines())
                self.assertEqual(small, (0, 1))
                self.assertEqual(large[0], loaded)
                self.assertIn(large[1], (1,) if wanted == 1 else (2, 3))

    def test_what_is_ours_needs_no_other_blas(self):
        self.run_program(self.build_c(), "ours", CARAT_BLAS_FALLBACK="/nowhere")

    def refused(self, *command, code, **environment):
        done = self.run_program(*command, code=code, **environment)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_fallback_that_is_not_there_or_is_carat(self):
        program = self.build_c()
        self.assertIn("CARAT_BLAS_FALLBACK=/nowhere",
                      self.refused(program, code=127, CARAT_BLAS_FALLBACK="/nowhere"))
        self.assertIn("is carat itself",
                      self.refused(program, code=127, CARAT_BLAS_FALLBACK=str(LIBRARY64)))
        self.assertIn("is no BLAS",
                      self.refused(program, code=127, CARAT_BLAS_FALLBACK="libm.so.6"))

    def test_carat_under_the_name_of_the_other_blas_is_passed_over(self):
        for name in ("libopenblas.so.0", "libblis.so.4"):
            shutil.copy(LIBRARY, self.folder / name)
        done = self.run_program(self.build_c(), LD_LIBRARY_PATH=str(self.folder))
        self.assertEqual(done.stdout, C_ANSWER)

    def test_wrong_arguments_without_a_handler_are_reported_and_the_program_goes_on(self):
        program = self.build_c()
        # The CBLAS position is the one the caller counts, although the call was turned: lda, the ninth.
        for how, line in (("wrong", " ** On entry to DGEMM  parameter number 4 had an illegal value\n"),
                          ("wrong cblas", "Parameter 9 to routine cblas_dgemm was incorrect\n")):
            done = self.run_program(program, how)
            self.assertEqual((done.stdout, done.stderr), (C_ANSWER, line))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
