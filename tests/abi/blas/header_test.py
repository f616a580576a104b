#!/usr/bin/env python3
"""carat/cblas.h: as programs in C and C++ use it, against what the libraries export and against the
cblas.h of other BLASes.

usage: header_test.py LIBRARY LIBRARY64 SOURCES
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import compiled

LIBRARY, LIBRARY64, SOURCES = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
HEADERS = SOURCES / "include"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADERS}")
LANGUAGES = (["cc", "-std=c99", "-x", "c"], ["cc", "-std=c11", "-x", "c"],
             ["c++", "-std=c++11", "-x", "c++"], ["c++", "-std=c++20", "-x", "c++"])

# One routine of each kind: real and complex, carat's and the other BLAS's, with 64-bit integers.
PROGRAM = r"""
#include <carat/cblas.h>
#include <stdio.h>
static CBLAS_TRANSPOSE turned(enum CBLAS_TRANSPOSE t) {
    return t == CblasNoTrans ? CblasTrans : CblasNoTrans;
}
int main(void) {
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    const float u[] = {1, 2, 3, -1}, v[] = {2, 0, 0, 1};
    double c[4] = {0, 0, 0, 0}, d[4] = {0, 0, 0, 0}, t[4] = {0, 0, 0, 9}, x[2] = {5, 11};
    float dot[2];
    const CBLAS_ORDER order = CblasRowMajor;
    const CBLAS_INT two = 2;
    cblas_dgemm(order, CblasNoTrans, CblasNoTrans, two, two, two, 1, a, 2, b, 2, 0, c, 2);
    cblas_dgemm64_(CblasColMajor, turned(CblasTrans), CblasNoTrans, 2, 2, 2, 1, b, 2, a, 2, 0, d, 2);
    cblas_dgemmtr(order, CblasUpper, CblasNoTrans, CblasTrans, 2, 2, 1, a, 2, a, 2, 0, t, 2);
    cblas_dtrsm(order, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 2, 1, 1, a, 2, x, 1);
    cblas_cdotu_sub(2, u, 1, v, 1, dot);
    printf("%g %g %g %g | %g %g %g %g | %g %g %g %g | %g %g | %g %g | %d %s\n", c[0], c[1], c[2],
           c[3], d[0], d[1], d[2], d[3], t[0], t[1], t[2], t[3], x[0], x[1], (double)dot[0],
           (double)dot[1], (int)cblas_idamax(4, b, 1), carat_blas_config());
    return 0;
}
"""
ANSWER = "19 22 43 50 | 19 22 43 50 | 5 11 0 25 | 5 -1 | 3 7 | 3 carat "


def headers(*patterns):
    """Those of the system, of MKL and of what ./dev peers brought."""
    roots = [pathlib.Path(place) for place in ("/usr/include", os.environ.get("MKLROOT", "/opt/intel"))]
    roots += [pathlib.Path(place).parent for place in
              os.environ.get("CARAT_PEER_PATH", "").split(":") if place]
    return sorted({file.resolve() for root in roots for pattern in patterns
                   for file in root.rglob(pattern)})


def declared(text, *flags):
    """The functions that TEXT declares, by name."""
    told = subprocess.run(["cc", "-E", "-P", "-x", "c", f"-I{HEADERS}", *flags, "-"], input=text,
                          capture_output=True, text=True, check=True).stdout
    names = re.findall(r"\b(cblas_\w+|carat_blas_config)\(", told)
    assert len(names) == len(set(names)), "a routine is declared twice"
    return told, set(names)


class Header(compiled.ProgramTest):
    def check_programs(self, library, bits, *flags):
        for compiler in LANGUAGES:
            program = self.build([*compiler, *WARNINGS, *flags], "program.source", PROGRAM, library)
            said = self.run_program(program).stdout
            self.assertTrue(said.startswith(ANSWER) and f", {bits}-bit" in said, said)

    def test_programs(self):
        self.check_programs(LIBRARY, 32)

    def test_programs_with_64_bit_integers(self):
        if subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libblas64.so.3')"],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no BLAS with 64-bit integers is installed (apt install libblas64-3)")
        self.check_programs(LIBRARY64, 64, "-DCARAT_BLAS_INTEGER_BITS=64")

    def test_it_declares_what_the_libraries_export_and_nothing_else(self):
        for library, flags in ((LIBRARY, ()), (LIBRARY64, ("-DCARAT_BLAS_INTEGER_BITS=64",))):
            symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                                     text=True, check=True).stdout
            exported = set(re.findall(r"\b(?:cblas_\w+|carat_blas_config)$", symbols, re.M))
            self.assertGreater(len(exported), 150)
            self.assertEqual(declared("#include <carat/cblas.h>", *flags)[1], exported)

    def test_its_types_are_the_reference_s(self):
        """Whose header and ours, less its enumerations, a compiler takes as one."""
        found = sorted(pathlib.Path("/usr/include").glob("*/cblas-netlib.h"))
        if not found:
            self.skipTest("the reference's cblas.h is not installed (apt install libblas-dev)")
        text, ours = declared("#include <carat/cblas.h>")
        values = [dict(re.findall(r"\b(Cblas\w+)\s*=\s*(\d+)", of)) for of in
                  (text, found[0].read_text())]
        self.assertEqual(len(values[0]), 11)
        self.assertEqual(values[0], values[1])
        prototypes = text[text.index("void cblas_saxpy"):]
        self.assertEqual(declared(prototypes)[1], ours)
        theirs = declared(f'#include "{found[0]}"')[1]
        self.assertGreater(len(theirs), 140)
        self.assertEqual(theirs - ours, set())
        source = self.folder / "both.c"
        source.write_text(f'#include "{found[0]}"\n{prototypes}')
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source],
                       check=True, timeout=300)

    def compile_both(self, header, order, *flags):
        """What each compiler says of both headers in one file; nothing where it takes them."""
        source = self.folder / "both.source"
        lines = [f"#include <{name}>" for name in order]
        source.write_text("\n".join([*lines, "int main(void) { return cblas_idamax(0, 0, 1) != 0; }", ""]))
        for compiler in LANGUAGES:
            yield subprocess.run([*compiler, *WARNINGS, "-isystem", header.parent, *flags,
                                  "-fsyntax-only", source],
                                 capture_output=True, text=True, check=False, timeout=300).stderr

    def require_either_order(self, header, *flags):
        pair = (header.name, "carat/cblas.h")
        for order in (pair, pair[::-1]):
            self.assertEqual(set(self.compile_both(header, order, *flags)), {""}, order)

    def test_the_first_of_two_headers_declares(self):
        found = [f for f in headers("cblas*.h", "gsl_cblas.h")
                 if re.search(r"\bcblas_dgemm\b", f.read_text())]
        if not found:
            self.skipTest("no cblas.h is installed (apt install libblas-dev)")
        for header in found:
            with self.subTest(header):
                self.require_either_order(header)

    def test_the_first_of_mkl_s_and_ours_declares(self):
        found = headers("mkl_cblas.h")
        if not found:
            self.skipTest("MKL's headers are not here (./dev peers brings them)")
        for header in (found[0], found[0].with_name("mkl.h")):
            self.require_either_order(header)
            self.require_either_order(header, "-DMKL_ILP64", "-DCARAT_BLAS_INTEGER_BITS=64")
            for width in ("-DMKL_ILP64", "-DCARAT_BLAS_INTEGER_BITS=64"):
                for said in self.compile_both(header, (header.name, "carat/cblas.h"), width):
                    self.assertIn("#error \"mkl_cblas.h has integers of another width", said)
                    self.assertEqual(said.count("error: "), 1, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
